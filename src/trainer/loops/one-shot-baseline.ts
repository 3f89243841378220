import { comparePaired } from '../../core/comparison/skill-comparison.js'
import type { EventBody } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { skillHash } from '../../core/skill/skill.js'
import type { Row } from '../../core/task/task.js'
import { previewSession } from '../stages/attempt.js'
import { writeOneShot } from '../stages/one-shot.js'
import { rollout, rowOf, summarize } from '../stages/rollout.js'
import { type EvaluationContext, evaluateOnce, parseRows, type TestedSkill, testSkill } from './evaluation.js'
import type { Setup } from './setup.js'
import { prepareTraining, type Training } from './training.js'

/**
 * Train tasks shown to the optimizer, each with the scorer's feedback, before it writes the one-shot skill.
 */
const exampleCount = 8

export const examplesFor = ({ tasks }: Pick<Setup, 'tasks'>) => Math.min(exampleCount, tasks.train.length)

export interface Baselines {
  readonly tests: readonly EventBody<'test.finished'>[]
  readonly oneShot: EventBody<'one-shot.finished'>
  readonly comparison: EventBody<'comparison.finished'>
}

/**
 * Scores no skill, a one-shot skill, the given skill and a trained one on the same test tasks, and compares
 * them.
 */
export async function compareBaselines(
  run: Run,
  setup: Setup,
  trained: { readonly text: string; readonly from: string } | undefined,
): Promise<Baselines> {
  const training = prepareTraining(run, setup)
  const oneShot = oneShotSkill(training)
  const textOfOneShot = async () => {
    const { text } = await oneShot
    return text === undefined ? undefined : run.get(text)
  }
  const skills: readonly (readonly [TestedSkill, Promise<string | undefined> | string | undefined])[] = [
    ['none', ''],
    ['one-shot', textOfOneShot()],
    ['initial', setup.skill],
    ['trained', trained?.text],
  ]
  const scored = await Promise.all(
    skills.map(async ([which, skill]) => {
      const text = await skill
      return text === undefined ? [] : [await scoreSkill(training, which, text)]
    }),
  )
  const results = scored.flat()
  const key = trained === undefined ? 'untrained' : skillHash(trained.text)
  const comparison = await run.once('comparison.finished', key, async () => ({
    trained: trained?.from,
    pairs: results.flatMap((one, index) =>
      results.slice(0, index).map(other => ({
        which: one.which,
        against: other.which,
        ...comparePaired(one.rows, other.rows, { score: training.score }),
      })),
    ),
  }))
  return { tests: results.map(({ test }) => test), oneShot: await oneShot, comparison }
}

/** Writes the one-shot skill from train tasks attempted without a skill; other splits stay unseen. */
async function oneShotSkill(training: Training): Promise<EventBody<'one-shot.finished'>> {
  const { run, setup, plan } = training
  const tasks = plan.sample(0, examplesFor(setup))
  const place = { stage: 'one-shot', epoch: 0, step: 0 } as const
  const attempts = await Promise.all(rollout(run, { skill: '', tasks, scope: 'examples', place }))
  // If no attempt has a score, the run pauses here instead of writing an uninformed skill.
  summarize(attempts.map(rowOf))
  const { tokenLimit } = setup.config.optimizer
  const briefing = { instructions: await instructionsOf(setup), attempts, tokenLimit }
  return writeOneShot(run, { ...briefing, place }, setup.prompts)
}

async function instructionsOf(setup: Setup): Promise<string> {
  const [task] = setup.tasks.train
  if (task === undefined) return ''
  const { instructions } = await previewSession(setup, task)
  return instructions
}

interface Result {
  readonly which: TestedSkill
  readonly test: EventBody<'test.finished'>
  readonly rows: readonly Row[]
}

async function scoreSkill(needs: EvaluationContext, which: TestedSkill, skill: string): Promise<Result> {
  const test = await testSkill(needs, which, skill)
  const place = { stage: 'test', epoch: 0, step: 0 } as const
  const { rows } = await evaluateOnce(needs, { skill, split: 'test', place })
  return { which, test, rows: parseRows(await needs.run.get(rows)) }
}
