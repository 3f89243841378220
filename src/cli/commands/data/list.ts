import { exitCodes } from '../../../core/errors/errors.js'
import { shownCounts, shownReleases } from '../../../prepare/data-check.js'
import { type Benchmark, benchmarkNamed, listBenchmarks } from '../../../project/benchmarks.js'
import { type Io, printLine } from '../../terminal/io.js'

export interface ListFlags {
  readonly json?: true | undefined
}

/** Lists the data that each benchmark needs, where it is published, and its licence. */
export async function listData(io: Io, name: string | undefined, flags: ListFlags): Promise<number> {
  const benchmarks = name === undefined ? await listBenchmarks() : [await benchmarkNamed(name)]
  if (flags.json === true) {
    const facts = benchmarks.map(factsOf)
    printLine(io, JSON.stringify(name === undefined ? facts : facts[0]))
    return exitCodes.ok
  }
  for (const benchmark of benchmarks) printBenchmark(io, benchmark)
  printLine(io, 'Nothing is downloaded for you. Once you have a copy:')
  const shown = name ?? 'searchqa'
  printLine(io, `  skillopt data check ${shown} --from COPY`)
  printLine(io, `  skillopt data split ${shown} --from COPY --to data/${shown}`)
  return exitCodes.ok
}

function printBenchmark(io: Io, benchmark: Benchmark): void {
  const { id, name, about, published, licence, needs, releases, splits } = benchmark
  const line = (label: string, text: string) => printLine(io, `  ${label.padEnd(10)}${text}`)
  printLine(io, `${io.colors.bold(id)}  ${name}: ${about}`)
  for (const [index, { what, address }] of published.entries())
    line(index === 0 ? 'published' : '', `${address} (${what})`)
  line('licence', licence)
  for (const [index, need] of needs.entries()) line(index === 0 ? 'needs' : '', need)
  line('items', shownReleases(releases))
  line('splits', shownCounts(splits))
  printLine(io)
}

function factsOf({ id, name, about, published, licence, needs, releases, splits }: Benchmark): object {
  return { id, name, about, published, licence, needs, releases, splits }
}
