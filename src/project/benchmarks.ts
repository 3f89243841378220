import { InputError } from '../core/errors/errors.js'
import { nearest } from '../core/text/nearest.js'
import type { BenchmarkData } from '../tasks/loading/benchmark-data.js'
import { filesOf, importSource } from './modules.js'

export interface Benchmark extends BenchmarkData {
  /** Id of the benchmark's environment. */
  readonly id: string
}

const kind = { folder: 'tasks/benchmarks', file: (name: string) => `${name}/data` }

/** Lists every environment whose folder contains a `data.ts`. */
export async function listBenchmarks(): Promise<readonly Benchmark[]> {
  const ids = await filesOf(kind)
  return Promise.all(
    ids.map(async id => {
      const { data } = (await importSource(`${kind.folder}/${kind.file(id)}`)) as {
        readonly data: BenchmarkData
      }
      return { ...data, id }
    }),
  )
}

export async function benchmarkNamed(name: string): Promise<Benchmark> {
  const benchmarks = await listBenchmarks()
  const found = benchmarks.find(({ id }) => id === name)
  if (found !== undefined) return found
  const ids = benchmarks.map(({ id }) => id)
  const near = nearest(name, ids)
  const question = near === undefined ? '.' : `; did you mean ${near}?`
  throw new InputError(`Unknown benchmark "${name}"${question}`, {
    hint: `Available: ${ids.join(', ')}.`,
  })
}
