import { createHash } from 'node:crypto'
import type { Step, Turn } from '../../../bench/harvest-texts.js'
import { lineWriters } from './line-writers.js'
import type { MadeSession, WriteSessions } from './made-session.js'
import {
  writeCopilotStore,
  writeCursor,
  writeDevin,
  writeOpencode,
  writeVscodeDocuments,
  writeVscodeLogs,
} from './other-writers.js'

/**
 * The work of a person who uses every agent: four recurring requests, worded differently each time;
 * occasional corrections; and one-off requests. Deterministic.
 */

/** Format -> its writer. An agent may have several: the part before the slash is its source's id. */
export const forms: Readonly<Record<string, WriteSessions>> = {
  ...lineWriters,
  'copilot/store': writeCopilotStore,
  cursor: writeCursor,
  devin: writeDevin,
  opencode: writeOpencode,
  'vscode-copilot/log': writeVscodeLogs,
  'vscode-copilot/document': writeVscodeDocuments,
}

export const sourceOf = (form: string): string => form.split('/')[0] ?? form

/** Places in a session where text can be inserted. */
export type PlaceInSession =
  | 'request'
  | 'answer'
  | 'correction'
  | 'input'
  | 'output'
  | 'branch'
  | 'skill'
  | 'id'
  | 'strange'

/** Text to insert at a place in one format; empty for none. */
export type Addition = (form: string, place: PlaceInSession) => string

export const intents = {
  'release notes': [
    'Write the release notes for version 1.4 from the commits since the last tag',
    'Please draft release notes for 1.5 out of the commits since the last tag',
    'Release notes for version 2.0, from all commits since the last tag',
    'Can you write the release notes of 2.1? Take the commits since the last tag',
    'I need release notes for version 2.2 from the commits since the tag before',
  ],
  'failing tests': [
    'Run the unit tests and fix the failing ones in src/cart.ts',
    'Some unit tests are failing in src/user.ts, run them and fix them please',
    'Fix the failing unit tests of src/mail.ts and run the tests',
    'Please run the unit tests, then fix whichever are failing in src/price.ts',
    'Unit tests fail in src/order.ts: run the failing tests and fix them',
  ],
  dependencies: [
    'Update the outdated npm dependencies and check that the build passes',
    'Please update all outdated npm dependencies, and see that the build still passes',
    'npm dependencies are outdated again, update them and check the build',
    'Bring the outdated npm dependencies up to date, the build must pass',
    'Can you update outdated npm dependencies? Check the build afterwards',
  ],
  translations: [
    'Translate the new strings in locales/en.json into German and French',
    'Please translate all new strings of locales/en.json to German and French',
    'New strings in locales/en.json again: translate them into French and German',
    'Add the German and French translation of the new strings in locales/en.json',
    'Can you translate new strings from locales/en.json into German and French?',
  ],
} as const

/** One for each format. */
const onceOnly = [
  'Why does the login page flicker on Safari?',
  'Draw a diagram of how an order gets to the warehouse',
  'Rename the class Basket to Cart everywhere',
  'How much memory does the importer need at night?',
  'Set up a cron job that removes sessions of guests',
  'Explain what the regular expression in router.js matches',
  'Which licence does the icon font have?',
  'Move the payment form into a package of its own',
  'Add a dark theme to the settings screen',
  'What would it take to go from Express to Fastify?',
  'Make the Docker image smaller',
  'Write a benchmark for the price calculation',
]

const corrections = [
  'No, that is wrong. Leave out everything that users never see.',
  'You forgot to run it once more at the end, please do that first.',
]

const dayMs = 86_400_000
/** Older than the default age limit. */
const firstDay = Date.UTC(2025, 2, 3, 9)

export interface WorldOptions {
  /** Project folder of the sessions. */
  readonly project: string
  readonly add?: Addition
  /** Defaults to all. */
  readonly forms?: readonly string[]
}

const nothing: Addition = () => ''

export async function writeWorld(home: string, options: WorldOptions): Promise<void> {
  for (const [index, [form, write]] of Object.entries(forms).entries())
    if (options.forms?.includes(form) ?? true) await write(home, sessionsOf(form, index, options))
}

/** The sessions of one format: one for each intent. */
export function sessionsOf(form: string, index: number, options: WorldOptions): readonly MadeSession[] {
  const { project, add = nothing } = options
  return Object.values(intents).map((wordings, number): MadeSession => {
    const added = (text: string, place: PlaceInSession) => withMore(text, add(form, place))
    const wording = wordings[(index + number) % wordings.length] ?? ''
    const asked = turnOf(added(wording, 'request'), form, add)
    const isCorrected = (index + number) % 3 === 0
    const correction = corrections[(index + number) % corrections.length] ?? ''
    const once = onceOnly[index] ?? ''
    return {
      id: withMore(uuidOf(`${form} ${number}`), add(form, 'id'), '-'),
      project,
      branch: withMore('main', add(form, 'branch'), '-'),
      at: firstDay + (index * 4 + number) * dayMs,
      turns: [
        asked,
        ...(isCorrected ? [turnOf(added(correction, 'correction'), form, add)] : []),
        ...(number === 0 ? [turnOf(added(once, 'request'), form, add)] : []),
      ],
      strange: [add(form, 'strange')].filter(text => text !== ''),
    }
  })
}

function turnOf(request: string, form: string, add: Addition): Turn {
  const skill = withMore('house-style', add(form, 'skill'), '-')
  const shell = { command: withMore('npm test', add(form, 'input')), description: 'Look at it' }
  const step = (tool: Step['tool'], input: Step['input']): Step => {
    const output = withMore('It is done.', add(form, 'output'))
    return { tool, input, output, failed: false, picture: undefined }
  }
  return {
    request,
    steps: [step('shell', shell), step('read', { file_path: `/home/ada/.agents/skills/${skill}/SKILL.md` })],
    answer: withMore('I have done that.', add(form, 'answer')),
  }
}

function withMore(text: string, more: string, between = '\n\n'): string {
  return more === '' ? text : `${text}${between}${more}`
}

function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
