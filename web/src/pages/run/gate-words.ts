import { type Decision, decisionOf } from '../../../../src/core/view/gate-decisions.js'
import { gateScoreText } from '../../../../src/core/view/gate-estimate.js'
import type { GateView } from '../../../../src/core/view/run-view.js'
import type { EvidenceChange, GateDetails } from '../../../../src/dashboard/contract/details.js'
import type { Word } from '../../parts/edit-words.js'
import { count, duration, plural, points } from '../../parts/format.js'

const decisionWords: Readonly<Record<Decision, Word>> = {
  accepted: { tone: 'good', text: 'accepted' },
  rejected: { tone: 'bad', text: 'rejected' },
  underpowered: { tone: 'warn', text: 'underpowered' },
  abstained: { tone: 'warn', text: 'not decided' },
}

export function decisionWord(gate: GateView): Word {
  if (gate.action === 'accept_new_best') return { tone: 'good', text: 'accepted, new best' }
  return decisionWords[decisionOf(gate)]
}

type Named = Pick<GateDetails, 'what' | 'step' | 'epoch'>

/** Title of a decision: the step, slow update or skill that it is about. */
export function subjectOf({ what, step, epoch }: Named): string {
  if (what === 'slow-update') return `Slow update of epoch ${epoch}`
  if (what === 'last') return 'The last skill'
  if (what === 'final') return 'The final test'
  if (what === 'checkpoint') return `Checkpoint of round ${step}`
  return `Step ${step}`
}

/** Short text for a decision's name in URLs. */
export function wordsOfName(name: string): string {
  if (name === 'last') return 'the last skill'
  if (name === 'final') return 'the final test'
  const epoch = /^epoch-(?<epoch>\d+)$/.exec(name)?.groups?.epoch
  return epoch === undefined ? `step ${name}` : `slow update of epoch ${epoch}`
}

const whatStays: Readonly<Record<GateDetails['what'], string>> = {
  step: 'the skill stays as it was',
  'slow-update': 'its guidance was left out',
  last: 'the skill that it was compared with stays',
  checkpoint: 'the newly accepted edits with the weakest evidence were taken back',
  final: 'the seed ships',
}

/** What follows from a decision for the skill. */
export function consequenceOf({ what, gate }: Pick<GateDetails, 'what' | 'gate'>): string {
  const stays = whatStays[what]
  switch (decisionOf(gate)) {
    case 'rejected':
      return `Not good enough: ${stays}.`
    case 'underpowered':
      return `These tasks cannot tell whether it is better, so ${stays}.`
    case 'abstained':
      return `The gate could not compare fairly, so it decided nothing and ${stays}.`
    case 'accepted':
      return what === 'checkpoint' || what === 'final'
        ? `${takenAs(what)}.`
        : `${takenAs(what)}${besideBest(gate)}`
  }
}

function takenAs(what: GateDetails['what']): string {
  if (what === 'checkpoint') return 'The skill is the checkpoint that later ones are compared with'
  if (what === 'final') return 'The trained skill ships'
  if (what === 'slow-update') return 'Its guidance is part of the skill from here on'
  return what === 'step' ? 'The candidate is the skill from here on' : 'It takes the place of the other'
}

function besideBest({ action, verdict, best }: GateView): string {
  if (action === 'accept_new_best') return ', and the best so far.'
  if (verdict.complete) return `. The best so far stays the best, with ${points(best)}.`
  return '. Whether it is also the best is open: not every task was tried with it.'
}

/** Whether the candidate's text can be shown. Rejected guidance of a slow update is stored by hash only. */
export function hasCandidateText({ what, gate }: Pick<GateDetails, 'what' | 'gate'>): boolean {
  return what !== 'slow-update' || decisionOf(gate) === 'accepted'
}

type Stopped = Pick<GateDetails, 'counts' | 'gate' | 'attempts' | 'cached' | 'ms' | 'tasks'>

/** Sentences on when the gate stopped. The verdict says why. */
export function stopSentences(details: Stopped): readonly string[] {
  const { counts, gate, attempts, cached, ms } = details
  const total = Object.values(counts).reduce((sum, number) => sum + number, 0)
  const tried = total - counts.untried
  const repeated = details.tasks.filter(({ again }) => again !== undefined).length
  return [
    counts.untried === 0
      ? `It tried all of ${plural(total, 'task')} with the candidate.`
      : `It stopped after ${count(tried)} of ${plural(total, 'task')}: ${count(counts.untried)} ${counts.untried === 1 ? 'was' : 'were'} not tried with the candidate.`,
    ...(gate.verdict.complete
      ? []
      : [
          gate.score === undefined
            ? 'Its score was therefore not measured.'
            : `Its score is therefore an estimate: ${gateScoreText(gate)}.`,
        ]),
    ...(repeated === 0
      ? []
      : [`${plural(repeated, 'task')} ${repeated === 1 ? 'was' : 'were'} tried again, in doubt.`]),
    ...(counts.failed === 0
      ? []
      : [
          `${plural(counts.failed, 'task')} ${counts.failed === 1 ? 'says' : 'say'} nothing: the world failed an attempt.`,
        ]),
    ...(attempts === 0
      ? []
      : [`${madeText(attempts, cached)}${ms === undefined ? '' : ` in ${duration(ms)}`}.`]),
  ]
}

function madeText(attempts: number, cached: number): string {
  const made = `The decision took ${plural(attempts, 'attempt')}`
  return cached === 0 ? made : `${made}, ${count(cached)} of them from other runs,`
}

export const changeWords: Readonly<Record<EvidenceChange, Word & { readonly sign: string }>> = {
  better: { tone: 'good', text: 'better', sign: '↑' },
  worse: { tone: 'bad', text: 'worse', sign: '↓' },
  same: { tone: 'plain', text: 'same', sign: '=' },
  failed: { tone: 'warn', text: 'failed', sign: '!' },
  untried: { tone: 'plain', text: 'untried', sign: '·' },
}

/** The order in which readers look for changes. */
export const changes = ['better', 'worse', 'same', 'failed', 'untried'] as const

export const changeMeanings: Readonly<Record<EvidenceChange, string>> = {
  better: 'a higher score with the candidate',
  worse: 'a lower score with the candidate',
  same: 'the same score with both',
  failed: 'the world failed one of the two attempts',
  untried: 'the gate had seen enough before',
}

/** Thins out a curve that has more points than pixels. The first and the last point stay. */
export function thinned(
  course: readonly number[],
  most = 400,
): readonly { readonly x: number; readonly y: number }[] {
  const stride = Math.max(1, Math.ceil(course.length / most))
  return course.flatMap((y, index) =>
    index % stride === 0 || index === course.length - 1 ? [{ x: index + 1, y }] : [],
  )
}
