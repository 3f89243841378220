import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { mutated } from '../../../../test/conformance/source-records.js'
import { PythonRandom } from '../../../core/statistics/random.js'
import { readLine } from './json-lines.js'
import { readLines } from './lines.js'

/** Compares the fast decoding and parsing of lines with the plain implementations. */

const recordings = new URL('../../../../test/fixtures/transcripts/home', import.meta.url).pathname

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'decoding-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function recorded(): Promise<readonly Buffer[]> {
  const files = await readdir(recordings, { recursive: true, withFileTypes: true })
  const paths = files
    .filter(file => file.name.endsWith('.jsonl'))
    .map(file => join(file.parentPath, file.name))
  return Promise.all(paths.sort().map(path => readFile(path)))
}

async function linesOf(content: Uint8Array): Promise<readonly unknown[]> {
  const file = join(folder, 'file')
  await writeFile(file, content)
  const lines: unknown[] = []
  for await (const some of readLines(file, new AbortController().signal)) lines.push(...some)
  return lines
}

function plainLines(content: Buffer): readonly string[] {
  const lines: string[] = []
  let start = 0
  for (let end = content.indexOf(0x0a); end >= 0; end = content.indexOf(0x0a, start)) {
    lines.push(content.subarray(start, end).toString('utf8'))
    start = end + 1
  }
  return start < content.length ? [...lines, content.subarray(start).toString('utf8')] : lines
}

/** Corrupts, removes or adds bytes, as a disk fault or a killed program would. */
function damaged(content: Buffer, random: PythonRandom): Buffer {
  const bytes = Buffer.from(content)
  for (let times = 0; times < 200; times += 1) bytes[random.below(bytes.length)] = random.below(256)
  return bytes.subarray(0, random.below(bytes.length))
}

it('decodes lines as one decodes bytes, whatever bytes they are', async () => {
  const random = new PythonRandom(5)
  const plain = await recorded()
  const accented = plain.map(content =>
    Buffer.from(content.toString().replaceAll('o', 'ö').replaceAll('e', '→')),
  )
  const astral = plain.map(content => Buffer.from(`\uFEFF${content.toString().replaceAll('a', '🙂')}`))
  const latin = plain.map(content => Buffer.from(content.toString().replaceAll('o', 'ö'), 'latin1'))
  const all = [...plain, ...accented, ...astral, ...latin]
  for (const content of [...all, ...all.map(each => damaged(each, random))])
    expect(await linesOf(content)).toEqual(plainLines(content))
})

/** Removes NUL bytes first, and recognises empty and whole lines before truncated ones. */
function readPlainly(line: string): unknown {
  const clean = line.replaceAll('\0', '')
  if (clean.trim() === '') return { isTorn: false }
  try {
    const value: unknown = JSON.parse(clean)
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isRecord ? { record: value, isTorn: false } : { isTorn: true }
  } catch {
    return 'torn'
  }
}

it('parses lines as if it took out zeros and looked for blanks first', async () => {
  const random = new PythonRandom(6)
  const lines = (await recorded())
    .flatMap(content => content.toString().split('\n'))
    .filter(line => line !== '')
  let whole = 0
  for (let times = 0; times < 6_000; times += 1) {
    const line = mutated(lines[times % lines.length] ?? '', random)
    const place = random.below(line.length + 1)
    const zeros = '\0'.repeat(random.below(3))
    for (const each of [line, `${line.slice(0, place)}${zeros}${line.slice(place)}`, zeros]) {
      const plainly = readPlainly(each)
      if (plainly === 'torn') expect(readLine(each).isTorn).toBe(true)
      else expect(readLine(each)).toEqual(plainly)
      whole += plainly === 'torn' ? 0 : 1
    }
  }
  expect(whole).toBeGreaterThan(6_000)
})
