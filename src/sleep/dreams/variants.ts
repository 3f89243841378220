import { createRedactor } from '../../core/redaction/redact.js'
import { oneLine } from '../../core/text/format.js'
import { contentHash } from '../../core/text/hash.js'
import { type SleepTask, scoredBy } from '../model/sleep-task.js'

/** Which variants of a task may be taken, and what a task becomes that is made of one. */

const longestVariant = 2_000

/** The requests that stand for a task; where there are none, what it asks in general. */
export function textsAsked({ intent, examples }: SleepTask): readonly string[] {
  return examples.length === 0 ? [intent] : examples.map(({ text }) => text)
}

/**
 * A rubric says what any such request wants. Checks are for the program: words that they look for may be the answer to the
 * one request that there was, and would be wrong for every other.
 */
export function cannotVary(task: SleepTask): string | undefined {
  const by = scoredBy(task)
  if (by === 'nothing') return 'nothing can score it'
  if (by === 'rubric') return undefined
  const wordings = new Set(textsAsked(task).map(wordsOf)).size
  const looksForWords = task.checks.some(({ op }) => op === 'contains' || op === 'regex')
  return looksForWords && wordings < 2
    ? 'its checks look for words, and there is only one request from which to tell whether they hold for others'
    : undefined
}

const redactor = createRedactor()

/** What speaks against a variant by itself. A reply is not to be trusted: what it says is tried by an agent. */
export function variantProblem(text: string, task: SleepTask, others: readonly string[]): string | undefined {
  const known = [task.intent, ...textsAsked(task)]
  const rules: readonly (readonly [isBroken: boolean, problem: string])[] = [
    [text === '', 'it has no text'],
    [text.length > longestVariant, `it may have ${longestVariant} characters at most`],
    [known.map(wordsOf).includes(wordsOf(text)), 'it says the same as the task'],
    [others.map(wordsOf).includes(wordsOf(text)), 'it says the same as another one'],
    [ownMarks.test(text), 'it holds marks that are for the program alone'],
    [redactor.redact(text).found.length > 0, 'it holds what looks like a secret'],
    [namesOtherPlace(text, known.join('\n')), 'it names a path or an address that the task does not name'],
    [!hasCheckedWords(text, task), 'it leaves out words that a check looks for'],
  ]
  return rules.find(([isBroken]) => isBroken)?.[1]
}

/** Of regions in documents, and of material that is shown to a model. */
const ownMarks = /<!--|-->|\[(?:begin|end) [a-z_]+ [0-9a-f]{12}\]/i

/** Absolute, above, or in somebody's home: such a place may exist, and what is there was not part of the work. */
const places = /https?:\/\/[^\s"'`)]+|(?<![\w.:/\\])(?:~?\/|[a-z]:[\\/]|\\\\|\.\.[\\/])[\w@.-][^\s"'`)]*/gi

function namesOtherPlace(text: string, known: string): boolean {
  return (text.match(places) ?? []).some(place => !known.includes(place.replace(/[.,;:!?]+$/, '')))
}

/** Words that a check looks for and that every request has may be what was asked about. */
function hasCheckedWords(text: string, task: SleepTask): boolean {
  if (scoredBy(task) !== 'checks') return true
  const has = (where: string, words: string) => wordsOf(where).includes(wordsOf(words))
  return task.checks.every(
    ({ op, arg }) =>
      op !== 'contains' || has(text, arg) || !textsAsked(task).every(request => has(request, arg)),
  )
}

const wordsOf = (text: string): string => oneLine(text).toLowerCase()

const longestShown = 120

/** For people and for the log: without what may have to stay hidden. */
export function withReason(text: string, problem: string): string {
  const shown = oneLine(redactor.redact(text).text)
  const cut = shown.length > longestShown ? `${shown.slice(0, longestShown)}…` : shown
  return `“${cut}”: ${problem}`
}

const longestId = 64

/** A task to learn from. Nobody asked for it: it has no examples, and its evidence is that of the task it was made of. */
export function dreamTask(source: SleepTask, variant: string, number: number, writtenBy: string): SleepTask {
  const { id, rubric, checks, family, skill, evidence } = source
  const name = id.length <= longestId ? id : `${id.slice(0, longestId - 9)}-${contentHash(id).slice(0, 8)}`
  const hasRubric = scoredBy(source) === 'rubric'
  return {
    id: `${name}-dream-${number}`,
    intent: variant,
    rubric: [...rubric],
    // Beside a rubric they count for nothing, and may be about the other request.
    checks: hasRubric ? [] : [...checks],
    ...{ writtenBy, reviewed: false, origin: 'dream', derivedFrom: id, split: 'train', family },
    ...(skill === undefined ? {} : { skill }),
    examples: [],
    evidence,
  }
}
