import { createRedactor } from '../../core/redaction/redact.js'
import { oneLine } from '../../core/text/format.js'
import { contentHash } from '../../core/text/hash.js'
import { type SleepTask, scoredBy } from '../model/sleep-task.js'

/** Decides which variants of a task are acceptable, and turns a variant into a task. */

const longestVariant = 2_000

/** The example requests of a task, or its intent if it has none. */
export function textsAsked({ intent, examples }: SleepTask): readonly string[] {
  return examples.length === 0 ? [intent] : examples.map(({ text }) => text)
}

/**
 * Explains why a task cannot have variants; undefined if it can. A rubric applies to any request of the same
 * kind. Checks may look for words of one particular answer, which would be wrong for any other request.
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

/**
 * Returns the problem with a variant. An agent will act on the variant, so the model's reply is not trusted.
 */
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

/** Matches the markers of managed regions and the delimiters in our prompts. */
const ownMarks = /<!--|-->|\[(?:begin|end) [a-z_]+ [0-9a-f]{12}\]/i

/**
 * URLs, and paths that are absolute or lead to a parent or home folder. Such a place may really exist,
 * although it was not part of the original work.
 */
const places = /https?:\/\/[^\s"'`)]+|(?<![\w.:/\\])(?:~?\/|[a-z]:[\\/]|\\\\|\.\.[\\/])[\w@.-][^\s"'`)]*/gi

function namesOtherPlace(text: string, known: string): boolean {
  return (text.match(places) ?? []).some(place => !known.includes(place.replace(/[.,;:!?]+$/, '')))
}

/**
 * True if a variant contains the checked words that every known request contains. Such words may be the
 * subject of the task.
 */
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

/** Redacts and shortens a text and adds the reason, for messages and the log. */
export function withReason(text: string, problem: string): string {
  const shown = oneLine(redactor.redact(text).text)
  const cut = shown.length > longestShown ? `${shown.slice(0, longestShown)}…` : shown
  return `“${cut}”: ${problem}`
}

const longestId = 64

/**
 * Creates a train task from a variant. Nobody requested it, so it has no examples, and it takes its evidence
 * from the source task.
 */
export function dreamTask(source: SleepTask, variant: string, number: number, writtenBy: string): SleepTask {
  const { id, rubric, checks, family, skill, evidence } = source
  const name = id.length <= longestId ? id : `${id.slice(0, longestId - 9)}-${contentHash(id).slice(0, 8)}`
  const hasRubric = scoredBy(source) === 'rubric'
  return {
    id: `${name}-dream-${number}`,
    intent: variant,
    rubric: [...rubric],
    // A rubric overrides checks, and the checks may fit only the original request.
    checks: hasRubric ? [] : [...checks],
    writtenBy,
    reviewed: false,
    origin: 'dream',
    derivedFrom: id,
    split: 'train',
    family,
    ...(skill === undefined ? {} : { skill }),
    examples: [],
    evidence,
  }
}
