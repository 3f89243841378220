import type { Place, StageName } from '../../core/log/event.js'
import type { Role } from '../../core/ports/model.js'
import { event, type NewEvent } from './importing.js'
import type { StageTokens } from './records.js'

/** Stages by the reference's names. Its rollouts include evaluations; others belong to the optimizer. */
const stages: Readonly<Record<string, { readonly stage: StageName; readonly role: Role }>> = {
  rollout: { stage: 'rollout', role: 'target' },
  analyst: { stage: 'reflect', role: 'optimizer' },
  merge: { stage: 'aggregate', role: 'optimizer' },
  ranking: { stage: 'select', role: 'optimizer' },
  slow_update: { stage: 'slow-update', role: 'optimizer' },
  meta_skill: { stage: 'meta-skill', role: 'optimizer' },
}
const otherwise = { stage: 'update', role: 'optimizer' } as const

interface Sum {
  readonly calls: number
  readonly input: number
  readonly output: number
}

const sumOf = (tokens: StageTokens, stage: string): Sum => {
  const { calls = 0, prompt_tokens = 0, completion_tokens = 0 } = tokens[stage] ?? {}
  return { calls, input: prompt_tokens, output: completion_tokens }
}

/** The reference's key for the sum of all stages. */
const total = '_total'

export function spendingOf(tokens: StageTokens, place: Pick<Place, 'epoch' | 'step'>): NewEvent[] {
  return Object.keys(tokens)
    .filter(stage => stage !== total)
    .flatMap(stage => summed(stage, sumOf(tokens, stage), place))
}

/** Usage outside the steps: of the baseline, the epoch ends and the tests. */
export function remainderOf(whole: StageTokens, steps: readonly StageTokens[]): NewEvent[] {
  return Object.keys(whole)
    .filter(stage => stage !== total)
    .flatMap(stage => {
      const rest = steps.reduce((left, step) => minus(left, sumOf(step, stage)), sumOf(whole, stage))
      return summed(stage, rest, { epoch: 0, step: 0 })
    })
}

const minus = (a: Sum, b: Sum): Sum => ({
  calls: Math.max(0, a.calls - b.calls),
  input: Math.max(0, a.input - b.input),
  output: Math.max(0, a.output - b.output),
})

/** Sum of a stage's usage. Calls without any tokens mean that tokens were not counted. */
function summed(
  stage: string,
  { calls, input, output }: Sum,
  place: Pick<Place, 'epoch' | 'step'>,
): NewEvent[] {
  if (calls === 0) return []
  const counted = input + output > 0 ? { input, output } : {}
  return [event('calls.summed', { ...place, ...(stages[stage] ?? otherwise), calls, ...counted })]
}
