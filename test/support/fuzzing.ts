import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { SkillOptError } from '../../src/core/errors/errors.js'
import { PythonRandom } from '../../src/core/statistics/random.js'
import { timeLimit } from './time-limit.js'

/** One input of a parser: its bytes, and a name that states its kind. */
export interface FuzzInput {
  readonly name: string
  readonly bytes: Buffer
}

export interface FuzzTarget {
  readonly corpus: readonly FuzzInput[]
  /** Parses an input. It may refuse it only with a user-facing error. */
  parse(input: FuzzInput): unknown
  /** True for inputs that are not text: their bytes are changed, and no JSON in them. */
  isBinary?(input: FuzzInput): boolean
  /** True if an error is a refusal; defaults to user-facing errors. */
  isRefusal?(error: unknown): boolean
}

/** Inputs per parser. SKILLOPT_FUZZ_INPUTS sets another number, such as 100,000, which takes hours. */
export const fuzzInputs = Number(process.env.SKILLOPT_FUZZ_INPUTS ?? 300)
/** Options of a test that fuzzes. */
export const patience = { timeout: timeLimit(60_000 + 72 * fuzzInputs) }
/** Long enough for a busy machine, and far shorter than a catastrophic regular expression. */
const longestMs = 5_000

const fixtures = fileURLToPath(new URL('../fixtures/fuzz/', import.meta.url))

/** The saved inputs of a kind of parser: valid ones to start from, and those that once broke it. */
export async function savedCorpus(kind: string): Promise<FuzzInput[]> {
  const folder = join(fixtures, kind)
  const names = (await readdir(folder)).sort()
  return Promise.all(names.map(async name => ({ name, bytes: await readFile(join(folder, name)) })))
}

/** Tries every saved input unchanged, then deterministic mutations. */
export async function fuzz(target: FuzzTarget): Promise<{ readonly read: number; readonly refused: number }> {
  const { corpus } = target
  if (corpus.length === 0) throw new Error('There is no input to start from.')
  const random = new PythonRandom(19)
  const told = { read: 0, refused: 0 }
  for (const input of corpus) await tryInput(target, input, told)
  for (let number = 0; number < fuzzInputs; number++) {
    const input = corpus[number % corpus.length] as FuzzInput
    const from = target.isBinary?.(input) === true ? binaryChanges : changes
    await tryInput(target, { name: input.name, bytes: changed(input, corpus, from, random) }, told)
  }
  return told
}

async function tryInput(
  target: FuzzTarget,
  input: FuzzInput,
  told: { read: number; refused: number },
): Promise<void> {
  const began = performance.now()
  try {
    await target.parse(input)
    told.read += 1
  } catch (error) {
    const isRefusal = target.isRefusal?.(error) ?? error instanceof SkillOptError
    if (!isRefusal) throw new Error(`${shown(input)} was not refused but broke it.`, { cause: error })
    told.refused += 1
  }
  const ms = performance.now() - began
  if (ms > timeLimit(longestMs)) throw new Error(`${shown(input)} took ${Math.round(ms)} ms.`)
}

/** In a form that can be saved with the others: `Buffer.from(…, 'base64')`. */
function shown({ name, bytes }: FuzzInput): string {
  const text = inspect(bytes.toString('utf8').slice(0, 2_000))
  return `A changed ${name} (${text}; base64 ${bytes.toString('base64').slice(0, 8_000)})`
}

const strange = [
  '',
  '\u0000',
  '\ufeff',
  '\u2028',
  '\u202e',
  '\ud83d',
  '\r',
  '\r\n',
  '\n\n',
  '\t',
  ' ',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  ',',
  ':',
  '---\n',
  '```',
  '<!--',
  '-->',
  '&a',
  '*a',
  '<<: ',
  '!!js/x ',
  '|',
  '>',
  'null',
  'true',
  'NaN',
  '-1',
  '0.5',
  '1e999',
  '9007199254740993',
  '-0',
  '0x10',
  '1'.repeat(400),
  '__proto__',
  'constructor',
  'toString',
  '$ref',
  '../../etc/passwd',
  'file:///etc/passwd',
  '%00',
  '%zz',
  '{"__proto__":{"a":1}}',
  '[[[[[[[[',
  '{"a":'.repeat(50),
  'a'.repeat(3_000),
  '(a+)+$',
  '\\u0000',
  '\\ud800',
  'SKILLOPT-SLEEP:LEARNED START',
  'SLOW_UPDATE_START',
  '"type":null',
  '"content":[]',
  '"usage":{}',
].map(text => Buffer.from(text))

type Change = (bytes: Buffer, random: PythonRandom, other: Buffer) => Buffer

const changes: readonly Change[] = [
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  (bytes, random) => bytes.subarray(random.below(bytes.length + 1)),
  (bytes, random) => {
    const copy = Buffer.from(bytes)
    for (let time = random.below(4); time >= 0 && copy.length > 0; time--)
      copy[random.below(copy.length)] = random.below(256)
    return copy
  },
  (bytes, random) => {
    const at = random.below(bytes.length + 1)
    const end = at + random.below(12)
    return Buffer.concat([bytes.subarray(0, at), pick(strange, random), bytes.subarray(end)])
  },
  (bytes, random) => {
    const [start, end] = span(bytes, random)
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)])
  },
  (bytes, random) => {
    const [start, end] = span(bytes, random)
    const times = 1 + random.below(end - start > 400 ? 3 : 60)
    const part = Buffer.concat(Array.from({ length: times }, () => bytes.subarray(start, end)))
    return Buffer.concat([bytes.subarray(0, end), part, bytes.subarray(end)])
  },
  (bytes, random, other) => {
    const [start, end] = span(other, random)
    const at = random.below(bytes.length + 1)
    return Buffer.concat([bytes.subarray(0, at), other.subarray(start, end), bytes.subarray(at)])
  },
  withOneValueChanged,
  withOneValueChanged,
  withOneValueChanged,
]

/** Lengths, offsets and counts are numbers of one, two or four bytes, in either order. */
const binaryChanges: readonly Change[] = [
  ...changes.filter(change => change !== withOneValueChanged),
  withOneNumberChanged,
  withOneNumberChanged,
  withOneNumberChanged,
]

function withOneNumberChanged(bytes: Buffer, random: PythonRandom): Buffer {
  const size = pick([1, 2, 4], random)
  if (bytes.length < size) return bytes
  const copy = Buffer.from(bytes)
  const most = 2 ** (8 * size)
  const value = pick([0, 1, most - 1, most / 2, most / 2 - 1, random.below(most)], random)
  // Headers and page heads steer the most, so every other change is near a multiple of 512.
  const at = random.below(bytes.length - size + 1)
  const near = Math.min(bytes.length - size, at - (at % 512) + (at % 100))
  const place = random.below(2) === 0 ? at : near
  if (random.below(2) === 0) copy.writeUIntBE(value, place, size)
  else copy.writeUIntLE(value, place, size)
  return copy
}

function changed(
  { name, bytes }: FuzzInput,
  corpus: readonly FuzzInput[],
  from: readonly Change[],
  random: PythonRandom,
): Buffer {
  let result = bytes
  const alike = corpus.filter(other => extname(other.name) === extname(name))
  // Mostly one change: an input with many is refused at the first.
  for (let time = Math.max(0, random.below(6) - 3); time >= 0; time--) {
    result = pick(from, random)(result, random, pick(alike, random).bytes)
  }
  return result
}

function pick<T>(items: readonly T[], random: PythonRandom): T {
  return items[random.below(items.length)] as T
}

function span(bytes: Buffer, random: PythonRandom): [start: number, end: number] {
  const start = random.below(bytes.length + 1)
  return [start, Math.min(bytes.length, start + random.below(1 + Math.min(600, bytes.length)))]
}

const values: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  0.5,
  1e308,
  2 ** 53,
  '',
  'x',
  '\u0000',
  '\ud800',
  '../..',
  [],
  {},
  [null],
  [[]],
  [{}],
  { type: 'text' },
  { text: 7 },
  { toString: 1 },
  JSON.parse('{"__proto__":{"a":1}}'),
  'x'.repeat(3_000),
]

/** Changes one value in one line of JSON or, in other texts, the value after a colon. */
function withOneValueChanged(bytes: Buffer, random: PythonRandom): Buffer {
  const lines = bytes.toString('utf8').split('\n')
  const at = random.below(lines.length)
  const whole = parsed(bytes.toString('utf8'))
  if (whole !== undefined) return Buffer.from(JSON.stringify(replaced(whole, random)))
  const line = lines[at] ?? ''
  const record = parsed(line)
  lines[at] =
    record === undefined
      ? line.replace(/:.*$/, () => `: ${JSON.stringify(pick(values, random))}`)
      : JSON.stringify(replaced(record, random))
  return Buffer.from(lines.join('\n'))
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    // Not JSON, so it is changed as text.
    return undefined
  }
}

function replaced(value: unknown, random: PythonRandom): unknown {
  if (typeof value !== 'object' || value === null || random.below(5) === 0) return pick(values, random)
  const names = Object.keys(value)
  if (names.length === 0) return pick(values, random)
  const name = pick(names, random)
  const entries = Object.entries(value)
    // Some fields are left out, and some are there twice under another name.
    .filter(([field]) => field !== name || random.below(6) > 0)
    .map(([field, inner]) => [field, field === name ? replaced(inner, random) : inner] as const)
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}
