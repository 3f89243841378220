import { answerWords, gainText, limitsText } from '../../../../src/core/comparison/paired-answer.js'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import { count, duration, knownTokens, money, plural, points, shortCount } from '../../parts/format.js'

/** A formatted figure with a note for the reader. */
export interface Figure {
  readonly text: string
  readonly note?: string
}

/** Whether all figures of the run are available. */
export function isRead({ state, reading }: Pick<RunSummary, 'state' | 'reading'>): boolean {
  return state !== 'unreadable' && reading === undefined
}

/** The names of all models of a run. A model with several roles appears once. */
export function modelsIn({ models }: Pick<RunSummary, 'models'>): readonly string[] {
  const { target, optimizer, judge } = models
  return [...new Set([target, optimizer, judge].filter(model => model !== undefined))]
}

/** Whether the run recorded its calls and time. An imported run may not have. */
function isCounted({ calls, importedFrom }: Pick<RunSummary, 'calls' | 'importedFrom'>): boolean {
  return calls > 0 || importedFrom === undefined
}

export function isTimed({ activeMs, importedFrom }: Pick<RunSummary, 'activeMs' | 'importedFrom'>): boolean {
  return activeMs > 0 || importedFrom === undefined
}

/** The known part of the cost; undefined if no call's cost is known. */
export function costIn(run: RunSummary): number | undefined {
  return !isCounted(run) || isAll(run.unknownCost, run.calls) ? undefined : run.cost
}

export function tokensIn(run: RunSummary): number | undefined {
  return !isCounted(run) || isAll(run.unknownUsage, run.calls) ? undefined : run.tokens
}

function isAll(part: number, whole: number): boolean {
  return whole > 0 && part >= whole
}

/** `50.0% → 62.5%`. Unknown scores are shown as a dash. */
export function fromTo(initial: number | undefined, best: number | undefined): string {
  if (initial === undefined && best === undefined) return '–'
  if (best === undefined) return `${points(initial ?? 0)} → ?`
  return initial === undefined ? points(best) : `${points(initial)} → ${points(best)}`
}

/**
 * Validation scores of the seed and the best skill. The difference is not shown: validation chose the best
 * skill, so it would overstate the gain.
 */
export function validationFigure({ initial, best }: RunSummary): Figure {
  return { text: fromTo(initial, best) }
}

export function testFigure({ test, verdict }: RunSummary): Figure {
  return withNote(fromTo(test?.initial, test?.best), test === undefined ? undefined : gainOf(verdict))
}

/** The verdict on a run, with the gain and its interval. */
export function verdictFigure({ verdict }: RunSummary): Figure {
  return verdict === undefined ? { text: '–' } : withNote(answerWords[verdict.answer], gainOf(verdict))
}

function gainOf(verdict: RunSummary['verdict']): string | undefined {
  return verdict?.gain && `${gainText(verdict.gain)} (${limitsText(verdict.gain)})`
}

export function costFigure(run: RunSummary): Figure {
  const cost = costIn(run)
  if (cost === undefined) return { text: 'unknown' }
  if (run.unknownCost === 0) return { text: money(cost) }
  return { text: money(cost), note: `+ ${plural(run.unknownCost, 'call')} of unknown price` }
}

export function tokensFigure(run: RunSummary, isShort = false): Figure {
  const tokens = tokensIn(run)
  if (!isCounted(run)) return { text: 'unknown' }
  const text =
    isShort && tokens !== undefined
      ? `${run.unknownUsage > 0 ? '≥ ' : ''}${shortCount(tokens)}`
      : knownTokens(run.tokens, run)
  return { text, note: plural(run.calls, 'call') }
}

export function timeFigure(run: RunSummary): Figure {
  return { text: isTimed(run) ? duration(run.activeMs) : 'unknown' }
}

/** The progress of a training; undefined once it has finished. */
export function placeOf({ state, kind, step, steps }: RunSummary): string | undefined {
  if (kind !== 'train' || state === 'finished' || step === 0) return undefined
  return `step ${count(step)} of ${count(steps)}`
}

function withNote(text: string, note: string | undefined): Figure {
  return note === undefined ? { text } : { text, note }
}
