import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { main } from '../../../src/cli/main.js'
import { bookOf } from '../../../src/experiment/measure.js'
import { type ChatReply, type ChatRequest, textOf } from '../../../src/simulated/chat.js'
import type { SleepTask } from '../../../src/sleep/model/sleep-task.js'
import type { Machine } from '../../end-to-end/sleep-support.js'
import { fakeIo } from '../fake-io.js'
import { sleepTask } from '../sleep-book.js'

/**
 * A house with a few customs, and models with scripted replies: nights with few calls, in which a test
 * decides what the optimizer writes. A custom is followed as soon as the agent reads its rule.
 */

export const customs = {
  ticket: { asked: 'Name the ticket', rule: '- Write a ticket as GH and its number.', kept: 'GH' },
  greeting: { asked: 'Greet the customer', rule: '- Greet with the word Moin.', kept: 'Moin' },
  colour: { asked: 'Say the colour', rule: '- Say colours in capitals.', kept: 'RED' },
} as const
type Custom = keyof typeof customs

/** An edit that an analyst may propose. */
export interface HouseEdit {
  readonly op: string
  readonly target?: string | undefined
  readonly content?: string | undefined
}

interface House {
  /** Proposals of the failure analyst; by default, the rules of the customs that were not followed. */
  readonly analyse?: (shown: string) => readonly HouseEdit[] | string
  /** Overrides any reply; undefined keeps the default one. */
  readonly instead?: (request: ChatRequest) => ChatReply | undefined
}

export function answersInHouse(house: House = {}): (request: ChatRequest) => ChatReply {
  return request => house.instead?.(request) ?? answer(request, house)
}

function answer(request: ChatRequest, { analyse = ownRules }: House): ChatReply {
  const [system = '', asked = ''] = ['system', 'user'].map(role => saidBy(request, role))
  if (request.model === 'target') return { content: work(system, asked) }
  const reply = (value: object) => ({ content: JSON.stringify(value) })
  if (request.model === 'judge')
    return reply({ reason: 'As the house sees it.', score: isKept(asked) ? 1 : 0 })
  if (system.includes('slow_update_content'))
    return reply({ slow_update_content: 'Keep to the rules above.' })
  if (system.includes('meta_skill_content')) return reply({ meta_skill_content: 'Short rules are kept.' })
  if (system.includes('selected_indices')) return reply({ selected_indices: [0] })
  if (system.includes('success_patterns')) return reply({ patch: { edits: [] } })
  if (system.includes('"variants"')) return reply({ variants: [] })
  if (system.includes('failure_summary')) {
    const proposed = analyse(asked)
    return typeof proposed === 'string' ? { content: proposed } : reply({ patch: { edits: proposed } })
  }
  return reply({ edits: ownRules(asked) })
}

export function saidBy({ messages }: ChatRequest, wanted: string): string {
  return messages
    .filter(({ role }) => role === wanted)
    .map(textOf)
    .join('\n')
}

/**
 * Mentions every custom that is followed, whatever the request: it only matters whether the answer contains
 * it.
 */
function work(system: string, asked: string): string {
  const kept = Object.values(customs).filter(({ rule }) => system.includes(rule.slice(2)))
  const number = /\d+/.exec(asked)?.[0] ?? ''
  return [`It is number ${number}.`, ...kept.map(custom => custom.kept)].join(' ')
}

/** The judge knows only the first custom. */
const isKept = (asked: string): boolean =>
  new RegExp(`It is number \\d*\\. ${customs.ticket.kept}\\b`).test(asked)

function ownRules(shown: string): readonly HouseEdit[] {
  return Object.values(customs)
    .filter(({ asked }) => shown.includes(asked))
    .map(({ rule }) => ({ op: 'append', content: rule }))
}

// ── Its tasks ───────────────────────────────────────────────────────────────

const usual = { train: 3, val: 8, test: 4 } as const

/** Tasks of one kind, with these counts per split; their wordings all differ. */
export function houseTasks(
  custom: Custom,
  {
    counts = usual,
    skill,
  }: { counts?: Readonly<Record<'train' | 'val' | 'test', number>>; skill?: string } = {},
): SleepTask[] {
  const { asked, kept } = customs[custom]
  return (['train', 'val', 'test'] as const).flatMap((split, at) =>
    Array.from({ length: counts[split] }, (_, index) => {
      const number = 100 * (at + 1) + index
      return sleepTask(`${custom}-${number}`, {
        intent: `${asked} number ${number}.`,
        split,
        checks: [{ op: 'contains', arg: kept }],
        writtenBy: 'person',
        reviewed: true,
        ...(skill === undefined ? {} : { skill }),
        examples: [{ text: `${asked} ${number}` }],
      })
    }),
  )
}

/** Writes a reviewed tasks file beside the project. */
export async function writeTasks({ root, project }: Machine, tasks: readonly SleepTask[]): Promise<string> {
  const file = join(root, 'tasks.json')
  await writeFile(file, JSON.stringify(bookOf(project, tasks)))
  return file
}

// ── Commands in this process ────────────────────────────────────────────────

export interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** `skillopt sleep …` in this process, which avoids process start-up. */
export async function sleepHere(
  { project, env }: Machine,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Said> {
  const library = () => import('../../../src/app/index.js')
  const io = { ...fakeIo({ cwd: project, env: { ...env, ...variables } }), library }
  const code = await main(['sleep', ...args], io)
  return { code, out: io.out(), err: io.err() }
}

export const textAt = (...path: readonly string[]): Promise<string> => readFile(join(...path), 'utf8')
