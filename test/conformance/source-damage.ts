import assert from 'node:assert/strict'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { PythonRandom } from '../../src/core/random.js'
import {
  counted,
  inHome,
  linesOf,
  put,
  read,
  readAs,
  recordings,
  type SourceCheck,
  sampleText,
  told,
} from './source-reading.js'
import { mutated } from './source-records.js'

/** Files that are torn, strange or large. */
export const damageChecks: readonly SourceCheck[] = [
  {
    name: 'loses nothing but what is torn, wherever the file ends',
    async run(under) {
      const bytes = Buffer.from(await sampleText(under))
      const whole = new Map<number, string[][]>()
      const readWhole = async (size: number) => {
        const known = whole.get(size) ?? (await readAs(under, bytes.subarray(0, size))).transcripts.map(told)
        whole.set(size, known)
        return known
      }
      await inHome(async home => {
        const path = await put(home, under.sample, bytes)
        // Every few bytes, and the few change from record to record, so that every place of a record is met.
        for (let size = bytes.length - 1; size > 0; size -= 7) {
          await truncate(path, size)
          const { transcripts } = await read(under, home, { places: [path] })
          const line = bytes.lastIndexOf(0x0a, size - 1) + 1
          const isWhole = isJson(bytes.subarray(line, size).toString())
          assert.deepEqual(transcripts.map(told), await readWhole(isWhole ? size : line), `cut at ${size}`)
        }
      })
    },
  },
  {
    name: 'finds the record that follows upon half a line or upon zeros',
    async run(under) {
      const lines = linesOf(await sampleText(under))
      const half = (lines[0] ?? '').slice(0, 25)
      const zeros = '\0'.repeat(4096)
      const damaged = lines.map((line, index) => (index % 2 === 0 ? `${zeros}${line}` : `${half}${line}`))
      const good = await readAs(under, `${lines.join('\n')}\n`)
      const { transcripts, skipped } = await readAs(under, damaged.join('\n'))
      assert.deepEqual(transcripts.map(told), good.transcripts.map(told))
      assert.equal(counted(skipped, 'record'), Math.floor(lines.length / 2))
    },
  },
  {
    name: 'counts records that it does not know, lines that are too long, and goes on',
    async run(under) {
      const lines = linesOf(await sampleText(under))
      const good = await readAs(under, lines.join('\n'))
      const strange = [
        '{"type":"from-the-future","of":{"a":[1]}}',
        '[]',
        '3',
        '"text"',
        'no JSON',
        `{"x":"${'y'.repeat(20_000_000)}"}`,
      ]
      const { transcripts, skipped } = await readAs(
        under,
        lines.flatMap((line, index) => (index === 1 ? [...strange, line] : [line])).join('\n'),
      )
      assert.deepEqual(transcripts.map(told), good.transcripts.map(told))
      assert.equal(counted(skipped, 'record'), strange.length)
      assert.ok(skipped.every(({ detail, file, source }) => detail !== '' && file !== '' && source !== ''))
      assert.ok(skipped.some(({ detail }) => detail.includes('from-the-future')))
    },
  },
  {
    name: 'neither throws at 10,000 fuzzed records nor loses the good ones between them',
    async run(under) {
      const lines = linesOf(await sampleText(under))
      const [good] = (await readAs(under, lines.join('\n'))).transcripts
      const random = new PythonRandom(7)
      const each = Math.ceil(10_000 / (lines.length - 1))
      // Each before the good one: what is written again takes the place of what was there.
      const fuzzed = lines.flatMap((line, index) =>
        index === 0 ? [line] : [...Array.from({ length: each }, () => mutated(line, random)), line],
      )
      const { transcripts, skipped } = await readAs(under, fuzzed.join('\n'))
      assert.equal(transcripts.length, 1)
      const [transcript] = transcripts
      assert.ok(good !== undefined && transcript !== undefined)
      assert.ok(holds(told(transcript), told(good)), 'a good record is lost')
      assert.ok(counted(skipped, 'record') > 100)
    },
  },
  {
    name: 'takes no more memory for a larger file',
    async run(under) {
      const { file, text } = under.output
      const lines = linesOf(await readFile(join(recordings, file), 'utf8'))
      const large = lines.map(line => line.replaceAll(text, 'z'.repeat(1_000_000))).join('\n')
      const collect = collectGarbage()
      const grown: number[] = []
      await inHome(async home => {
        const path = await put(home, file, '')
        for (let size = 0; size < 64_000_000; size += large.length)
          await writeFile(path, `${large}\n`, { flag: 'a' })
        const used = () => {
          collect()
          const { heapUsed, external } = process.memoryUsage()
          return heapUsed + external
        }
        // What earlier checks left is freed bit by bit.
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

/** Whether all of `parts` is there, in this order, whatever else is between. */
function holds(whole: readonly string[], parts: readonly string[]): boolean {
  let next = 0
  for (const each of whole) if (each === parts[next]) next += 1
  return next === parts.length
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const collectGarbage = (): (() => void) => {
  setFlagsFromString('--expose_gc')
  return runInNewContext('gc') as () => void
}
