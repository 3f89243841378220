import { gainText, limitsText } from '../../core/comparison/paired-answer.js'
import {
  knownCost,
  minedText,
  oneLine,
  plural,
  points,
  shortCount,
  workTime,
} from '../../core/text/format.js'
import { trialCountsText } from '../../core/view/edit-evidence.js'
import type { RunView } from '../../core/view/fold.js'
import { mostSteps } from '../../core/view/most-steps.js'
import { type RunVerdict, verdictOf } from '../../core/view/run-verdict.js'
import { isFree } from '../../core/view/simulated-mark.js'
import { earlyEnd } from '../../core/view/stop-reason.js'
import { worthSentence } from '../../core/view/test-results.js'
import type { Block, Fact, Tone } from '../blocks/blocks.js'
import type { ReportSource } from '../blocks/source.js'
import { splitNames } from './skill-comparison.js'

/** The result of the run in one sentence and a few key figures. */
export function summaryBlocks(source: ReportSource): Block[] {
  const { view } = source
  const sentence = resultSentence(source)
  return [
    ...stateNotice(source),
    ...(sentence === '' ? [] : [{ kind: 'text', text: sentence } as const]),
    ...earlyEndText(view),
    { kind: 'facts', facts: factsOf(source) },
  ]
}

function resultSentence({ view, splits, tested }: ReportSource): string {
  if (view.kind === 'baseline') return view.comparison ? worthSentence(view.comparison.pairs) : ''
  if (view.kind === 'eval') {
    const known = splits.filter(({ scored }) => scored > 0)
    const several = new Set(known.map(({ skill }) => skill)).size > 1
    return known
      .map(
        ({ split, skill, score, scored }) =>
          `${several ? `${oneLine(skill)}: ` : ''}${points(score)} on ${plural(scored, `${splitNames[split]} task`)}`,
      )
      .join('; ')
  }
  const verdict = verdictOf(view, tested)
  if (verdict !== undefined) return `${oneLine(verdict.sentence)} ${oneLine(verdict.next)}`
  if (view.kind === 'gate-check')
    return `The skill was evaluated against itself in ${plural(view.attempts.scored, 'scored attempt')}. Rerun the same command to print the result at no cost.`
  if (view.kind === 'probe')
    return `A probe for a forecast: ${plural(view.attempts.scored, 'scored attempt')} and the optimizer calls for them. \`skillopt train --dry-run\` uses their lengths.`
  if (view.kind === 'mine') return view.mining ? `Mined from agent sessions: ${minedText(view.mining)}.` : ''
  if (!view.best) return 'No skill has been evaluated yet.'
  const seed = view.baseline ? `, against ${points(view.baseline.score)} of the seed skill` : ''
  return `The best skill so far scores ${points(view.best.score)} on validation${seed}. Not tested yet.`
}

/** A notice before anything else if the run is unfinished. */
function stateNotice({ view, state }: ReportSource): Block[] {
  const until = `This report covers its first ${plural(view.events, 'event')}, up to ${timeText(view.lastAt)}.`
  const notice = (text: string, tone: Tone): Block[] => [{ kind: 'text', text, tone }]
  if (state === 'finished') return []
  if (state === 'running') return notice(`The run is still in progress. ${until}`, 'calm')
  if (state === 'killed')
    return notice(`The process of this run was killed. Rerun the same command to resume. ${until}`, 'unsure')
  const said = [view.stopped?.message, view.stopped?.hint]
    .map(part => oneLine(part ?? ''))
    .join(' ')
    .trim()
  return notice(`The run is not finished (${state}). ${said} ${until}`, state === 'failed' ? 'bad' : 'unsure')
}

function earlyEndText(view: RunView): Block[] {
  const reason = earlyEnd(view)
  return reason === undefined
    ? []
    : [{ kind: 'text', text: `Training ended early: ${reason}.`, tone: 'calm' }]
}

function factsOf({ view, tested }: ReportSource): Fact[] {
  const { total } = view.spending
  return [
    ...(view.kind === 'train' ? trainingFacts(view, verdictOf(view, tested)) : []),
    {
      label: 'Cost',
      value: isFree(view) ? 'none' : knownCost(total),
      note: isFree(view) ? 'simulated models' : plural(total.calls, 'call'),
    },
    {
      label: 'Tokens',
      value:
        total.calls > 0 && total.unknownUsage === total.calls
          ? 'unknown'
          : shortCount(total.input + total.output),
      note: plural(total.calls, 'call'),
    },
    {
      label: 'Active time',
      value: workTime(view),
      note: view.importedFrom === undefined ? plural(view.sessions, 'session') : 'imported',
    },
  ]
}

function trainingFacts(view: RunView, verdict: RunVerdict | undefined): Fact[] {
  const done = view.steps.filter(({ outcome }) => outcome !== undefined)
  const accepted = done.filter(({ outcome }) => outcome === 'accepted').length
  const planned = mostSteps(view)
  const bestFact: Fact = view.best
    ? { label: 'Validation', value: points(view.best.score), note: `best, version ${view.best.version}` }
    : { label: 'Validation', value: '–', note: 'nothing evaluated yet' }
  return [
    gainFact(verdict),
    bestFact,
    view.loop === 'trials'
      ? { label: 'Rounds', value: `${done.length} of ${planned}`, note: trialCountsText(view.trialEdits) }
      : { label: 'Steps', value: `${done.length} of ${planned}`, note: `${accepted} accepted` },
  ]
}

const verdictTones = { better: 'good', worse: 'bad', 'cannot-tell': 'unsure', 'no-change': 'calm' } as const

/** The gain with its interval. Without results on unseen tasks there is no gain to show. */
function gainFact(verdict: RunVerdict | undefined): Fact {
  if (verdict?.gain === undefined) return { label: 'Gain', value: '–', note: 'not tested on unseen tasks' }
  const { gain, answer } = verdict
  return {
    label: 'Gain',
    value: gainText(gain),
    note: `95% interval ${limitsText(gain)}`,
    tone: verdictTones[answer],
  }
}

export function timeText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
