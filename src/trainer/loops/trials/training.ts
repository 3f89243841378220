import type { Config } from '../../../core/config/config.js'
import { budgetAt } from '../../../core/config/edit-budget.js'
import { epochsOf } from '../../../core/config/epochs.js'
import { scheduleOf } from '../../../core/config/loop-defaults.js'
import type { Run } from '../../../core/ports/run.js'
import type { SkillDocument } from '../../../core/skill/document.js'
import type { Task } from '../../../core/task/task.js'
import { previewSession } from '../../stages/attempt.js'
import type { Setup } from '../setup.js'
import { prepareTraining, type Training } from '../training.js'
import { type Concern, createConcern } from './concern.js'
import { createWordIndex, type TaskText, type WordIndex } from './word-index.js'

/** Context shared by the parts of training by trials. */
export interface TrialTraining extends Training {
  readonly seed: SkillDocument
  readonly taskIds: readonly string[]
  readonly taskById: ReadonlyMap<string, Task>
  /** Maximum number of rounds, and rounds per epoch. */
  readonly rounds: number
  readonly roundsPerEpoch: number
  epochOf(round: number): number
  /** Edit budget of a round: the number of causes that each analyst may name. */
  budgetOf(round: number): number
  /** Determines the train tasks that an edit concerns. */
  readonly concern: Concern
  /** The train tasks as text, and the words in them. */
  readonly texts: readonly TaskText[]
  readonly words: WordIndex
}

/**
 * Plans the rounds of a training. A round is a step of the run; an epoch is as many rounds as are needed to
 * try every train task once.
 */
export function planTrials(
  config: Config,
  tasks: readonly Task[],
): { readonly epochs: number; readonly stepsPerEpoch: number } {
  const stepsPerEpoch = Math.max(1, Math.ceil(tasks.length / config.trials.round))
  return { epochs: epochsOf(config, tasks.length), stepsPerEpoch }
}

export async function prepareTrials(run: Run, setup: Setup, seed: SkillDocument): Promise<TrialTraining> {
  const { train } = setup.tasks
  const { epochs, stepsPerEpoch: perEpoch } = planTrials(setup.config, train)
  const texts = await taskTexts(setup, train)
  const words = createWordIndex(texts)
  return {
    ...prepareTraining(run, setup),
    seed,
    taskIds: train.map(({ id }) => id),
    taskById: new Map(train.map(task => [task.id, task])),
    rounds: perEpoch * epochs,
    roundsPerEpoch: perEpoch,
    epochOf: round => Math.ceil(round / perEpoch),
    budgetOf: round => budgetAt(scheduleOf(setup.config, perEpoch * epochs), round),
    concern: createConcern(texts, words),
    texts,
    words,
  }
}

/** Task prompts as shown to the target, for word matching. */
export function taskTexts(
  setup: Pick<Setup, 'environment' | 'sandbox'>,
  tasks: readonly Task[],
): Promise<readonly TaskText[]> {
  return Promise.all(
    tasks.map(async task => ({ id: task.id, type: task.type ?? '', text: await promptText(setup, task) })),
  )
}

async function promptText(setup: Pick<Setup, 'environment' | 'sandbox'>, task: Task): Promise<string> {
  const { prompt } = await previewSession(setup, task)
  if (typeof prompt === 'string') return prompt
  return prompt.map(part => (part.type === 'text' ? part.text : part.name)).join('\n')
}
