import type { StopReason } from '../../../../src/core/task/task.js'
import type { AttemptLine, AttemptOutcome } from '../../../../src/dashboard/contract/attempts.js'
import { Badge, type BadgeTone } from '../../parts/badge.js'
import { duration, points, visibleLine } from '../../parts/format.js'

const tones: Readonly<Record<AttemptOutcome, BadgeTone>> = {
  right: 'good',
  partial: 'warn',
  wrong: 'bad',
  failed: 'plain',
}

export const outcomeMeanings: Readonly<Record<AttemptOutcome, string>> = {
  right: 'Its hard score is 100%.',
  partial: 'Neither right nor without any score.',
  wrong: 'Its scores are 0.',
  failed: 'The world failed it: it has no score, and counts in no mean.',
}

export function OutcomeBadge({ outcome }: { readonly outcome: AttemptOutcome }) {
  return (
    <Badge tone={tones[outcome]} title={outcomeMeanings[outcome]}>
      {outcome}
    </Badge>
  )
}

/** The hard score, and the soft score if it differs. */
export function scoresOf({ hard, soft }: Pick<AttemptLine, 'hard' | 'soft'>): string {
  if (hard === undefined) return 'not scored'
  return soft === undefined || soft === hard ? points(hard) : `${points(hard)} · soft ${points(soft)}`
}

/** The stage, step and sample of an attempt, such as `gate of step 3`. */
export function placeOf({ stage, step, sample }: Pick<AttemptLine, 'stage' | 'step' | 'sample'>): string {
  const name = stage.replaceAll('-', ' ')
  return [
    step === 0 ? name : `${name} of step ${step}`,
    ...(sample === 0 ? [] : [`sample ${sample + 1}`]),
  ].join(', ')
}

/** Why the attempt ended. This is the agent's stop reason or the external failure. */
export function endOf({ failure, stop, isCached }: AttemptLine): string {
  const end = failure ?? stop ?? ''
  return `${visibleLine(end).replaceAll('-', ' ')}${isCached ? ' (from another run)' : ''}`
}

const stops: Readonly<Record<StopReason, string>> = {
  answered: 'It gave its answer.',
  'turn-limit': 'It had used all its turns.',
  'time-limit': 'It had used all its time.',
  'output-limit': 'A reply of it was longer than allowed.',
  'context-overflow': 'The conversation was longer than the model takes.',
  refusal: 'The model refused.',
  unknown: 'It was not recorded.',
}

export function endMeaning({ failure, stop }: Pick<AttemptLine, 'failure' | 'stop'>): string {
  if (failure !== undefined) return 'Not the agent’s doing, so it is no score.'
  return stop === undefined ? '' : stops[stop]
}

export function lasted(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : duration(milliseconds)
}

/** Label of an attempt in a select list, such as `v3 · right · 100.0% · gate of step 3`. */
export function choiceOf(line: AttemptLine): string {
  return [visibleLine(line.skill.name), line.outcome, scoresOf(line), placeOf(line)].join(' · ')
}
