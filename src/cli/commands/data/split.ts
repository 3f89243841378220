import { resolve } from 'node:path'
import { exitCodes } from '../../../core/errors/errors.js'
import { splitData } from '../../../prepare/data-split.js'
import { writeNewFiles } from '../../../prepare/output.js'
import { benchmarkNamed } from '../../../project/benchmarks.js'
import { plural, shownPath } from '../../output/text.js'
import { type Io, printLine } from '../../terminal/io.js'
import { copyPlace, type PlaceFlags } from './check.js'

export interface DataSplitFlags extends PlaceFlags {
  readonly to: string
  readonly ratio: string
  readonly seed: number
  readonly manifest?: string | undefined
  readonly force?: true | undefined
}

/** Divides a copy of a benchmark into the splits that its environment reads. */
export async function splitBenchmark(io: Io, name: string, flags: DataSplitFlags): Promise<number> {
  const benchmark = await benchmarkNamed(name)
  const { ratio, seed, manifest } = flags
  const to = resolve(io.cwd, flags.to)
  const { files, options } = await splitData(benchmark, {
    ...copyPlace(io, flags),
    to,
    ratio,
    seed,
    manifest: manifest === undefined ? undefined : { path: resolve(io.cwd, manifest), shownAs: manifest },
  })
  const shown = (path: string) => shownPath(path, io.cwd)
  await writeNewFiles(files, { force: flags.force === true, shown })
  const environment = { use: name, splitDir: to, ...options }
  if (flags.json === true) {
    const written = files.map(({ split, file, count }) => ({ split, file, items: count }))
    const how = manifest === undefined ? { ratio, seed } : { manifest }
    printLine(io, JSON.stringify({ benchmark: name, files: written, ...how, environment }))
    return exitCodes.ok
  }
  for (const { file, count } of files) printLine(io, `Wrote ${shown(file)}: ${plural(count, 'item')}`)
  const how = manifest === undefined ? `Split ${ratio} with seed ${seed}` : `Split by ${manifest}`
  printLine(io, `${how}. Add to skillopt.yaml (its paths are relative to its folder):\n`)
  const { use, ...paths } = environment
  const lines = Object.entries(paths).map(([option, path]) => `    ${option}: ${shown(path)}`)
  printLine(io, ['  environment:', `    use: ${use}`, ...lines].join('\n'))
  return exitCodes.ok
}
