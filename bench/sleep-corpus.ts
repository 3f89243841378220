import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { harvest } from '../src/sleep/harvest/harvest.js'
import type { SessionRequest } from '../src/sleep/model/session-request.js'
import { type FormatOfAgent, type Session, terminals } from './harvest-formats.js'
import type { Step, Turn } from './harvest-texts.js'

/** The labelled sessions of test/fixtures/sleep-corpus, written and read in the formats of the agents. */

export const styles = ['terse', 'bilingual', 'held-out'] as const
export type Style = (typeof styles)[number]

/** What a prompt is: a request of an intent, a one-off, a correction with its rule, praise, or none of these. */
export type PromptLabel =
  | { readonly kind: 'intent' | 'correction'; readonly name: string }
  | { readonly kind: 'one-off' | 'praise' | 'go-on' }

export interface LabelledPrompt {
  readonly text: string
  readonly label: PromptLabel
}

export interface CorpusSession {
  readonly agent: string
  readonly project: string
  readonly day: string
  readonly turns: readonly (LabelledPrompt & { readonly tools: readonly string[]; readonly answer: string })[]
}

export async function readCorpus(style: Style): Promise<readonly CorpusSession[]> {
  const url = new URL(`../test/fixtures/sleep-corpus/${style}.txt`, import.meta.url)
  const blocks = (await readFile(url, 'utf8')).split(/^# /m).slice(1)
  return blocks.map(block => {
    const [head = '', ...lines] = block.trimEnd().split('\n')
    const [agent = '', project = '', day = ''] = head.split(' ')
    const turns: CorpusSession['turns'][number][] = []
    for (const line of lines) {
      const [mark, rest] = [line[0], line.slice(2)]
      const last = turns.at(-1)
      if (mark === '>') turns.push({ ...labelled(rest), tools: [], answer: '' })
      else if (last === undefined || (mark !== '=' && mark !== '<')) throw new Error(`${style}: ${line}`)
      else if (mark === '=') turns[turns.length - 1] = { ...last, tools: [...last.tools, rest] }
      else turns[turns.length - 1] = { ...last, answer: rest }
    }
    return { agent, project: `/home/ada/${project}`, day, turns }
  })
}

function labelled(rest: string): LabelledPrompt {
  const cut = rest.indexOf(' | ')
  const [label, text] = [rest.slice(0, cut), rest.slice(cut + 3)]
  const name = label.slice(1)
  if (label.startsWith('@')) return { text, label: { kind: 'intent', name } }
  if (label.startsWith('!')) return { text, label: { kind: 'correction', name } }
  const plain = { '-': 'one-off', '+': 'praise', '.': 'go-on' } as const
  return { text, label: { kind: plain[label as keyof typeof plain] } }
}

/** Reads the sessions through the transcripts of their agents. */
export async function requestsOfCorpus(
  sessions: readonly CorpusSession[],
): Promise<readonly SessionRequest[]> {
  const home = await mkdtemp(join(tmpdir(), 'skillopt-corpus-'))
  try {
    await writeCorpus(sessions, home)
    const sources = [...new Set(sessions.map(({ agent }) => agent))]
    const user = { home, env: {}, platform: process.platform }
    const signal = new AbortController().signal
    const read = await harvest({ sources, scope: { kind: 'all' }, patterns: [], user }, { signal })
    return read.requests
  } finally {
    await rm(home, { recursive: true })
  }
}

export async function writeCorpus(sessions: readonly CorpusSession[], home: string): Promise<void> {
  for (const [index, session] of sessions.entries()) {
    const format = terminals.find(({ source }) => source === session.agent)
    if (format === undefined) throw new Error(`No format is known for ${session.agent}.`)
    const state = stateOf(session, index)
    const file = join(home, format.file(state, false))
    await mkdir(dirname(file), { recursive: true })
    const records = [
      ...format.begin(state, false),
      ...session.turns.flatMap(turn => format.turn(state, turnOf(turn, session.agent), false)),
    ]
    await writeFile(file, records.map(record => `${JSON.stringify(record)}\n`).join(''))
    await writeBeside(format, state, home)
  }
}

async function writeBeside(format: FormatOfAgent, state: Session, home: string): Promise<void> {
  const beside = format.beside?.(state)
  if (beside === undefined) return
  const file = join(home, beside.file)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, JSON.stringify(beside.content))
}

function turnOf({ text, tools, answer }: CorpusSession['turns'][number], agent: string): Turn {
  const steps = tools.map((tool): Step => {
    const command = tool.slice(tool.indexOf(': ') + 2)
    return { tool: 'shell', input: { command }, output: 'ok', failed: false, picture: undefined }
  })
  return { request: agent === 'claude-code' ? asCommand(text) : text, steps, answer }
}

/** Claude Code records a slash command as tags. */
function asCommand(text: string): string {
  const [, name, given] = /^(\/\S+) +(.*)$/s.exec(text) ?? []
  if (name === undefined) return text
  return `<command-message>${name.slice(1)}</command-message>\n<command-name>${name}</command-name>\n<command-args>${given}</command-args>`
}

function stateOf({ project, day }: CorpusSession, index: number): Session {
  let names = 0
  let now = Date.parse(`${day}T09:00:00Z`) + index * 60_000
  let last: string | null = null
  const own = String(index).padStart(4, '0')
  const name = () => {
    names += 1
    return `00000000-${own}-4000-8000-${String(names).padStart(12, '0')}`
  }
  return {
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    project,
    time: () => {
      now += 30_000
      return new Date(now).toISOString()
    },
    name,
    next: () => {
      const parentUuid = last
      last = name()
      return { uuid: last, parentUuid }
    },
    noise: length => 'x'.repeat(length),
  }
}
