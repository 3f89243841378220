import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { PythonRandom } from '../src/core/statistics/random.js'
import type { Transcript, TranscriptEntry } from '../src/core/transcript/transcript.js'

/**
 * Sessions of a person with hand-labelled requests: recurring intents, each in several wordings, in English
 * and German; and one-off requests that share words with them. The wordings are in test/fixtures/mining;
 * this code fills in files, names and numbers, adds typos or surrounding words to some, and distributes all
 * of them over sessions.
 */
export interface LabelledSet {
  readonly transcripts: readonly Transcript[]
  /** Label of every request, by `labelKey`. */
  readonly labels: ReadonlyMap<string, Label>
}

export const parts = ['tuned', 'held-out'] as const

/** Words and thresholds were tuned on the tuned part; the other part is only measured. */
export type Part = (typeof parts)[number]

export interface Label {
  /** The intent, or the one-off. */
  readonly name: string
  readonly part: Part
  readonly isRecurring: boolean
}

export const labelKey = (session: string, at: number | undefined): string => `${session}@${at}`

interface LabelledText {
  readonly label: Label
  readonly texts: readonly string[]
}

const sessionSize = 3
const everyNthTwice = 8
const minuteMs = 60_000
const firstDay = Date.UTC(2026, 0, 5, 9)
const projects = ['/home/ada/shop', '/home/ada/site', '/home/ada/tools']

const fillings: Readonly<Record<string, readonly string[]>> = {
  path: [
    'src/cart.ts',
    'lib/util/date.js',
    'test/user.spec.ts',
    './docs/notes.md',
    '/srv/app/report.csv',
    'api/orders.py',
  ],
  name: ['parseDate', 'user_id', 'OrderService', 'loadConfig()', 'MAX_RETRIES', 'formatPrice', 'sendMail'],
  number: ['3', '12', '142', '2.4.0', '20', '18.2'],
  package: ['react', 'zod', 'vite', 'lodash', 'express'],
  word: ['orders', 'invoices', 'proxies', 'tenants', 'shipments'],
}

/** Filler around requests. */
const before = [
  'Hi!',
  'Quick one:',
  'I have been working on the payment part since Monday and have touched a few places there.',
  'Good morning, the demo is at noon and the team waits for me.',
  'We talked about this yesterday and nobody objected.',
  'Next thing.',
  'Kurze Sache noch vor dem Wochenende.',
  'As discussed with Maria:',
]
const after = [
  'Keep it small, I have to go in ten minutes.',
  'Ask if in doubt.',
  'No hurry.',
  'Same style as the rest, and nothing fancy.',
  'I will look at it after lunch.',
  'Danke dir!',
]

export function labelledSet(seed: number): LabelledSet {
  const random = new PythonRandom(seed)
  const dealt = dealOut(random.shuffle([...recurring(random), ...oneOffs(random)]))
  const labels = new Map<string, Label>()
  const transcripts = dealt.map((texts, index) => {
    const startedAt = firstDay + Math.floor(index / 4) * 24 * 60 * minuteMs + (index % 4) * 90 * minuteMs
    const entries: TranscriptEntry[] = []
    for (const [turn, { label, text }] of texts.entries()) {
      const at = startedAt + turn * 5 * minuteMs
      labels.set(labelKey(`made:${index}`, at), label)
      entries.push({ kind: 'prompt', text, at }, { kind: 'answer', text: 'Done.', at: at + minuteMs })
    }
    return {
      source: 'made',
      id: String(index),
      file: `${index}.jsonl`,
      project: projects[random.below(projects.length)],
      branch: undefined,
      startedAt,
      endedAt: entries.at(-1)?.at,
      entries,
      skills: [],
    }
  })
  return { transcripts, labels }
}

/** Repeated one-offs stay in one session: two similar requests on one day are not a habit. */
function dealOut(
  items: readonly LabelledText[],
): readonly { readonly label: Label; readonly text: string }[][] {
  const sessions = Array.from({ length: Math.ceil(items.length / sessionSize) }, (_, index) =>
    items.slice(index * sessionSize, (index + 1) * sessionSize),
  )
  return sessions.map(session => session.flatMap(({ label, texts }) => texts.map(text => ({ label, text }))))
}

/** Each wording once, plus two of them again: one with surrounding words and one with typos. */
function recurring(random: PythonRandom): readonly LabelledText[] {
  const byPart = readFixture('intents') as Readonly<Record<Part, Readonly<Record<string, readonly string[]>>>>
  return parts.flatMap(part =>
    Object.entries(byPart[part]).flatMap(([name, wordings]) => {
      const [longer = '', misspelled = ''] = random.sample(wordings, 2)
      const wrapped = [before[random.below(before.length)], longer, after[random.below(after.length)]].join(
        ' ',
      )
      const templates = [...wordings, wrapped, withTypos(misspelled, random)]
      return templates.map(template => ({
        label: { name, part, isRecurring: true },
        texts: [fill(template, random)],
      }))
    }),
  )
}

function oneOffs(random: PythonRandom): readonly LabelledText[] {
  const byPart = readFixture('one-offs') as Readonly<Record<Part, readonly string[]>>
  return parts.flatMap(part =>
    byPart[part].map((template, index) => {
      const times =
        index % everyNthTwice === 0
          ? [template, `${template} And once more for the other branch.`]
          : [template]
      return {
        label: { name: `${part} one-off ${index}`, part, isRecurring: false },
        texts: times.map(text => fill(text, random)),
      }
    }),
  )
}

function fill(template: string, random: PythonRandom): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, slot: string) => {
    const choices = fillings[slot]
    if (choices === undefined) throw new Error(`Nothing is known to fill in for {${slot}}.`)
    return choices[random.below(choices.length)] ?? ''
  })
}

/** Swaps two letters or drops one, in every other long word. */
function withTypos(template: string, random: PythonRandom): string {
  let longWords = 0
  return template.replaceAll(/(?<![{\p{L}])\p{L}{5,}(?![}\p{L}])/gu, word => {
    longWords += 1
    if (longWords % 2 === 0) return word
    const at = 1 + random.below(word.length - 2)
    const swapped = `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`
    return random.below(2) === 0 ? swapped : `${word.slice(0, at)}${word.slice(at + 1)}`
  })
}

function readFixture(name: string): unknown {
  return parse(readFileSync(new URL(`../test/fixtures/mining/${name}.yaml`, import.meta.url), 'utf8'))
}
