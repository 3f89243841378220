import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type {
  HarvestQuery,
  Skipped,
  SkipReason,
  Transcript,
  TranscriptSource,
} from '../../src/core/transcript/transcript.js'
import type { Form } from './source-forms.js'

/** Expected result of reading a recorded session, without the tool outputs, which are long. */
export interface ExpectedSession {
  readonly id: string
  readonly branch?: string
  readonly startedAt: string
  readonly endedAt: string
  readonly skills: readonly string[]
  /**
   * `> request`, `< answer`, `tool name input`, with `!` after a tool that failed, and `x reason` for an
   * abort.
   */
  readonly entries: readonly string[]
}

export interface SourceUnderTest {
  readonly source: TranscriptSource
  readonly form: Form
  /** Path below the recordings' home: a short session without a separate file that names its project. */
  readonly sample: string
  /** The location that contains it, which may be the file itself. */
  readonly place: string
  /** A variable that moves the location, and the path below its value. */
  readonly variable: readonly [name: string, below: string]
  readonly sessions: readonly ExpectedSession[]
  readonly subAgents: number
  /** The session with tools and an output in it, which can be made larger. */
  readonly output: { readonly file: string; readonly text: string }
  /** Additional structural fields of this source's records. */
  readonly structure?: readonly string[]
  /** For sources whose records do not name the project: records the sample's folder in a separate file. */
  tellProject?(home: string, folder: string): Promise<void>
  /** False if the agent does not record times, or tool outputs. */
  readonly hasTimes?: boolean
  readonly hasOutputs?: boolean
}

export interface SourceCheck {
  readonly name: string
  run(under: SourceUnderTest): Promise<void>
}

export const recordings = new URL('../fixtures/transcripts/home', import.meta.url).pathname

interface Reading {
  readonly transcripts: readonly Transcript[]
  readonly skipped: readonly Skipped[]
}

export async function read(
  { source }: Pick<SourceUnderTest, 'source'>,
  home: string,
  wanted: Partial<HarvestQuery> = {},
): Promise<Reading> {
  const transcripts: Transcript[] = []
  const skipped: Skipped[] = []
  const query: HarvestQuery = {
    user: { home, env: {}, platform: 'linux' },
    isWanted: () => true,
    redact: text => text,
    skip: told => void skipped.push(told),
    signal: new AbortController().signal,
    ...wanted,
  }
  for await (const transcript of source.read(query)) transcripts.push(transcript)
  return { transcripts, skipped }
}

export async function inHome<T>(run: (home: string) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'source-'))
  try {
    return await run(home)
  } finally {
    await rm(home, { recursive: true })
  }
}

/** The records of a recording, one per line. */
export const recordsOf = async ({ form }: SourceUnderTest, file: string) =>
  form.linesOf(await readFile(join(recordings, file)))

/** Reads a home that contains only the sample, with these records instead of its own. */
export const readLines = async (
  under: SourceUnderTest,
  lines: readonly string[],
  wanted: Partial<HarvestQuery> = {},
  folder?: string,
) => readAs(under, await under.form.fileOf(lines), wanted, folder)

/**
 * Reads a home that contains only the sample, with this content and, if stored separately, this project
 * folder.
 */
export async function readAs(
  under: SourceUnderTest,
  content: Uint8Array,
  wanted: Partial<HarvestQuery> = {},
  folder?: string,
): Promise<Reading> {
  return inHome(async home => {
    await put(home, under.sample, content)
    if (folder !== undefined) await under.tellProject?.(home, folder)
    return read(under, home, wanted)
  })
}

export async function put(home: string, file: string, content: Uint8Array): Promise<string> {
  const path = join(home, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  return path
}

export function told(transcript: Transcript): string[] {
  return transcript.entries.map(entry => {
    if (entry.kind === 'prompt') return `> ${entry.text}`
    if (entry.kind === 'answer') return `< ${entry.text}`
    if (entry.kind === 'broken-off') return `x ${entry.text}`
    return `tool ${entry.name} ${entry.input ?? ''}${entry.failed === true ? ' !' : ''}`
  })
}

export const counted = (skipped: readonly Skipped[], reason: SkipReason) =>
  skipped.filter(each => each.reason === reason).reduce((sum, each) => sum + each.count, 0)
