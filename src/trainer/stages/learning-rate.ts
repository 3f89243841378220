import type { Config, UpdateMode } from '../../core/config/config.js'
import type { EventBody, Place, RecordedEdit } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { ask } from './ask.js'
import { learningRateReply as contract } from './contracts.js'
import { earlierSteps, type Memory } from './memory.js'
import type { Prompts } from './prompts.js'
import { editList, section, sections } from './render.js'

interface RateInput {
  readonly skill: string
  readonly edits: readonly RecordedEdit[]
  readonly memory: Memory
  readonly place: Place
}

export interface RateOptions {
  readonly control: Config['optimizer']['control']
  readonly mode: UpdateMode
  /** The scheduled budget of this step. */
  readonly scheduled: number
  readonly prompts: Prompts
  readonly failurePatterns: boolean
  readonly rejectedEdits: boolean
}

/**
 * Number of merged edits that this step may make: the scheduled number, the optimizer's choice, or all. With
 * a single edit there is nothing to decide.
 */
export async function editBudget(run: Run, input: RateInput, options: RateOptions): Promise<number> {
  const { edits, place } = input
  // A rewrite is one change, however large; merging leaves only one, unless it failed.
  if (options.mode === 'full_rewrite_minibatch') return 1
  if (options.control === 'fixed') return options.scheduled
  if (options.control === 'none' || edits.length < 2) return edits.length
  const { budget } = await run.once('rate.decided', `step ${place.step}`, () =>
    askForRate(run, input, options),
  )
  return budget
}

async function askForRate(
  run: Run,
  { skill, edits, memory, place }: RateInput,
  options: RateOptions,
): Promise<EventBody<'rate.decided'>> {
  const { scheduled, prompts } = options
  const content = sections(
    section('skill', skill),
    section('meta_skill', memory.metaSkill),
    earlierSteps(memory, options),
    section('edits', editList(edits)),
    section('edit_limit', String(scheduled)),
  )
  const schema = contract(edits.length)
  const scope = `step ${place.step} rate`
  const answer = await ask(run, prompts, { prompt: 'learning-rate', content, schema, scope, place })
  const where = { epoch: place.epoch, step: place.step, scheduled, of: edits.length }
  // The failure is reported, and the scheduled number is used.
  if (!answer.ok) return { ...where, budget: Math.min(scheduled, edits.length), reasoning: '', failed: 1 }
  const { learning_rate, reasoning, confidence, risk_notes } = answer.value
  return {
    ...where,
    budget: learning_rate,
    reasoning: reasoning ?? '',
    confidence: typeof confidence === 'number' ? confidence : undefined,
    risks: risk_notes ?? undefined,
    failed: 0,
  }
}
