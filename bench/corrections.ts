import {
  type CorpusSession,
  type LabelledPrompt,
  readCorpus,
  requestsOfCorpus,
  styles,
} from './sleep-corpus.js'
import { count, met, saveResult, table } from './table.js'

/**
 * Measures how many corrections are heard in labelled sessions, read in the formats of their agents:
 * `corrections [--errors]`. The rules were not written from the style "held-out", and `--errors` does not
 * show it. The baseline is the published rule of the Python reference: a list of phrases, found anywhere.
 */

const wanted = { recall: 0.9, precision: 0.75 }

/** About as many phrases as the reference has, in our own choice. */
const phrases = [
  ...['wrong', 'incorrect', 'not what i', "doesn't work", 'does not work', 'still broken', 'still failing'],
  ...['undo', 'revert', 'try again', "that's not", 'you forgot', 'you missed', 'not right', 'mistake'],
  ...['bad', 'no,', 'nope', "don't do", 'stop', 'fix this'],
]
const byPhrases = (text: string) => phrases.some(phrase => text.toLowerCase().includes(phrase))

interface Row {
  readonly style: string
  readonly method: string
  readonly corrections: number
  readonly recall: number
  readonly precision: number
}

const followUps = (sessions: readonly CorpusSession[]): readonly LabelledPrompt[] =>
  sessions.flatMap(({ turns }) => turns.slice(1))

function rowOf(
  style: string,
  method: string,
  { prompts, isHeard }: { prompts: readonly LabelledPrompt[]; isHeard: (text: string) => boolean },
): Row {
  const isCorrection = ({ label }: LabelledPrompt) => label.kind === 'correction'
  const heard = prompts.filter(({ text }) => isHeard(text))
  const right = heard.filter(isCorrection).length
  const corrections = prompts.filter(isCorrection).length
  return { style, method, corrections, recall: right / corrections, precision: right / heard.length }
}

const rows: Row[] = []
for (const style of styles) {
  const sessions = await readCorpus(style)
  const prompts = followUps(sessions)
  const requests = await requestsOfCorpus(sessions)
  const isComplaint = (kind: string) => kind !== 'praise' && kind !== 'broken-off'
  const said = new Set(
    requests.flatMap(({ evidence }) =>
      evidence.filter(({ kind }) => isComplaint(kind)).map(({ text }) => text.trim()),
    ),
  )
  const isHeard = (text: string) => said.has(text.trim())
  rows.push(rowOf(style, 'this project', { prompts, isHeard }))
  rows.push(rowOf(style, 'phrases, as the reference', { prompts, isHeard: byPhrases }))
  if (!process.argv.includes('--errors') || style === 'held-out') continue
  for (const { text, label } of prompts) {
    if (isHeard(text) !== (label.kind === 'correction'))
      console.log(`${style}, ${isHeard(text) ? 'heard' : 'missed'}: ${text} (${label.kind})`)
  }
}

const figure = (value: number) => (Number.isNaN(value) ? '–' : value.toFixed(2))
console.log(
  table(
    ['style', 'by', 'corrections', 'recall', 'precision'],
    rows.map(row => [
      row.style,
      row.method,
      count(row.corrections),
      figure(row.recall),
      figure(row.precision),
    ]),
  ),
)
const [heldOut] = rows.filter(({ style }) => style === 'held-out')
const isMet =
  heldOut !== undefined && heldOut.recall >= wanted.recall && heldOut.precision >= wanted.precision
console.log(`\nHeld out: recall ${wanted.recall} at precision ${wanted.precision}: ${met(isMet)}`)
saveResult('corrections', { rows })
