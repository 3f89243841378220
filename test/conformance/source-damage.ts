import assert from 'node:assert/strict'
import { truncate } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { PythonRandom } from '../../src/core/statistics/random.js'
import { fuzzInputs } from '../support/fuzzing.js'
import { jsonLines } from './source-forms.js'
import {
  counted,
  inHome,
  put,
  read,
  readAs,
  readLines,
  recordsOf,
  type SourceCheck,
  type SourceUnderTest,
  told,
} from './source-reading.js'
import { mutated } from './source-records.js'

/** Checks with truncated, unexpected or large files. */
const damageChecks: readonly SourceCheck[] = [
  {
    name: 'loses nothing but what is torn, wherever the file ends',
    async run(under) {
      const { form } = under
      const bytes = await form.fileOf(await recordsOf(under, under.sample))
      const whole = new Map<number, string[][]>()
      const readWhole = async (size: number) => {
        const known = whole.get(size) ?? (await readAs(under, bytes.subarray(0, size))).transcripts.map(told)
        whole.set(size, known)
        return known
      }
      const [all = []] = await readWhole(bytes.length)
      assert.ok(all.length > 0)
      // Cuts every few bytes, with an offset that varies by record, so that every position in a record is
      // hit.
      const step = Math.max(7, Math.ceil(bytes.length / 1_000) | 1)
      await inHome(async home => {
        const path = await put(home, under.sample, bytes)
        for (let size = bytes.length - 1; size > 0; size -= step) {
          await truncate(path, size)
          const { transcripts, skipped } = await read(under, home, { places: [path] })
          const entries = transcripts.map(told)
          const readable = form.wholeUpTo?.(bytes, size)
          if (readable !== undefined) assert.deepEqual(entries, await readWhole(readable), `cut at ${size}`)
          else assert.ok(holds(all, entries.flat()) && (holds(entries.flat(), all) || skipped.length > 0))
        }
      })
    },
  },
  {
    name: 'counts records that it does not know, lines that are too long, and goes on',
    async run(under) {
      const lines = await recordsOf(under, under.sample)
      const good = await readLines(under, lines)
      const { strange, hasNoKinds } = under.form
      const { transcripts, skipped } = await readLines(
        under,
        lines.flatMap((line, index) => (index === 1 ? [...strange, line] : [line])),
      )
      assert.deepEqual(transcripts.map(told), good.transcripts.map(told))
      assert.equal(counted(skipped, 'record'), strange.length)
      assert.ok(skipped.every(({ detail, file, source }) => detail !== '' && file !== '' && source !== ''))
      assert.ok(hasNoKinds || skipped.some(({ detail }) => detail.includes('from-the-future')))
    },
  },
  {
    name: 'neither throws at thousands of fuzzed records nor loses the good ones between them',
    async run(under) {
      const lines = await recordsOf(under, under.sample)
      const [good] = (await readLines(under, lines)).transcripts
      const random = new PythonRandom(7)
      const each = Math.ceil(Math.max(2_000, fuzzInputs / 10) / (lines.length - 1))
      // Each mutation comes before the original line, because a rewritten record replaces the earlier one.
      const fuzzed = lines.flatMap((line, index) =>
        index === 0 ? [line] : [...Array.from({ length: each }, () => mutated(line, random)), line],
      )
      const { transcripts, skipped } = await readLines(under, fuzzed)
      assert.equal(transcripts.length, 1)
      const [transcript] = transcripts
      assert.ok(good !== undefined && transcript !== undefined)
      assert.ok(holds(told(transcript), told(good)), 'a good record is lost')
      assert.ok(counted(skipped, 'record') > 100)
    },
  },
]

/** For formats with one record per line, where the next record may follow a truncated one. */
const lineChecks: readonly SourceCheck[] = [
  {
    name: 'finds the record that follows upon half a line or upon zeros',
    async run(under) {
      const lines = await recordsOf(under, under.sample)
      const half = (lines[0] ?? '').slice(0, 20)
      const zeros = '\0'.repeat(4096)
      const damaged = lines.map((line, index) => (index % 2 === 0 ? `${zeros}${line}` : `${half}${line}`))
      const good = await readLines(under, lines)
      const { transcripts, skipped } = await readLines(under, damaged)
      assert.deepEqual(transcripts.map(told), good.transcripts.map(told))
      assert.equal(counted(skipped, 'record'), Math.floor(lines.length / 2))
    },
  },
]

/** For formats that can be read without loading the whole file. */
const streamChecks: readonly SourceCheck[] = [
  {
    name: 'takes no more memory for a larger file',
    async run(under) {
      const collect = collectGarbage()
      const grown: number[] = []
      await inHome(async home => {
        await putLarge(under, home)
        const used = () => {
          collect()
          const { heapUsed, external } = process.memoryUsage()
          return heapUsed + external
        }
        // Memory of earlier checks is freed gradually.
        for (let round = 0; round < 4; round += 1) {
          collect()
          await setImmediate()
        }
        const before = used()
        let texts = 0
        const redact = (each: string) => {
          texts += each.length > 100_000 ? 1 : 0
          if (each.length > 100_000 && texts % 6 === 0) grown.push(used() - before)
          return each
        }
        const { transcripts } = await read(under, home, { redact })
        assert.equal(transcripts.length, 1)
        assert.ok(JSON.stringify(transcripts).length < 2_000_000)
      })
      assert.ok(grown.length > 0)
      assert.ok(Math.max(...grown) < 40_000_000, `${grown} bytes`)
    },
  },
]

export function damageChecksOf({ form }: SourceUnderTest): readonly SourceCheck[] {
  return [
    ...damageChecks,
    ...(form === jsonLines ? lineChecks : []),
    ...(form.isStreamed ? streamChecks : []),
  ]
}

/** Writes the session with tools repeatedly, with long outputs. */
async function putLarge(under: SourceUnderTest, home: string): Promise<void> {
  const { file, text } = under.output
  const lines = await recordsOf(under, file)
  const large = lines.map(line => line.replaceAll(text, 'z'.repeat(1_000_000)))
  const length = large.reduce((sum, line) => sum + line.length, 0)
  const times = Math.ceil(64_000_000 / length)
  await put(home, under.sample, await under.form.fileOf(Array.from({ length: times }, () => large).flat()))
}

/** True if all of `parts` occur in this order, with anything in between. */
function holds(whole: readonly string[], parts: readonly string[]): boolean {
  let next = 0
  for (const each of whole) if (each === parts[next]) next += 1
  return next === parts.length
}

const collectGarbage = (): (() => void) => {
  setFlagsFromString('--expose_gc')
  return runInNewContext('gc') as () => void
}
