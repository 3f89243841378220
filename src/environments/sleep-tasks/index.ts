import { z } from 'zod'
import { InputError } from '../../core/errors.js'
import { listed } from '../../core/format.js'
import type { Environment } from '../../core/ports.js'
import { type SleepTask, scoredBy, type TaskExample, weakness } from '../../core/sleep-task.js'
import type { Split, Task } from '../../core/task.js'
import { checkSplits, type Splits } from '../data.js'
import { scoringParts } from '../scoring/in-environment.js'
import { chooseScorer } from '../scoring/index.js'
import type { Fields } from '../scoring/scorer.js'
import { readReviewedTasks } from './read.js'

export const options = z.strictObject({
  path: z
    .string()
    .min(1)
    .describe(
      'A file of reviewed tasks (.yaml or .json) from `skillopt sleep`, relative to the folder of the config. It says itself which task is in which split.',
    ),
})

interface ReplayedTask extends Task {
  readonly type: string
  readonly prompt: string
  /** The rubric, or the checks where there is none. */
  readonly fields: Fields
}

/** What a person keeps asking their agents for, asked again: each example of a task is tried by itself. */
export async function create(
  { path }: z.infer<typeof options>,
  { baseDir }: { readonly baseDir: string },
): Promise<Environment<ReplayedTask>> {
  const reviewed = await readReviewedTasks(path, baseDir)
  const inSplit = (split: Split) => reviewed.filter(task => task.split === split)
  const tasks: Splits<ReplayedTask> = {
    train: inSplit('train').flatMap(replayed),
    val: inSplit('val').flatMap(replayed),
    test: inSplit('test').flatMap(replayed),
  }
  checkSplits(tasks, ({ prompt }) => prompt)
  const rubric = await scoringParts<ReplayedTask>(chooseScorer('rubric'))
  const rules = await scoringParts<ReplayedTask>(chooseScorer('rules'))
  const asksJudge = [...tasks.train, ...tasks.val, ...tasks.test].some(hasRubric)
  return {
    id: 'sleep-tasks',
    needs: ['chat'],
    warnings: shapeWarnings(inSplit('val')),
    ...(asksJudge ? { scoring: rubric.scoring ?? {}, judges: (rubric.judges ?? []).map(onRubricsOnly) } : {}),
    tasks: async split => tasks[split],
    open: async ({ prompt }) => ({
      instructions: '',
      prompt,
      skillAt: 'system',
      tools: [],
      turnLimit: 1,
      close: async () => {},
    }),
    score: (task, trajectory, context) => (hasRubric(task) ? rubric : rules).score(task, trajectory, context),
  }
}

function replayed(task: SleepTask): ReplayedTask[] {
  const { id, intent, examples } = task
  const fields = scoredBy(task) === 'rubric' ? { rubric: task.rubric } : { checks: task.checks }
  const prompts = examples.length === 0 ? [intent] : examples.map(example => promptOf(intent, example))
  return prompts.map((prompt, index) => ({ id: `${id}.${index + 1}`, type: id, prompt, fields }))
}

/** What is meant in general, then what was said: by itself, "do that for the other one too" asks for nothing. */
function promptOf(intent: string, { before, text }: TaskExample): string {
  const earlier = before.map(said => said.replaceAll(/^/gm, '> ')).join('\n\n')
  return [
    intent,
    ...(earlier === '' ? [] : [`What was asked before, in the same session:\n\n${earlier}`]),
    `What is asked now, in the person's own words:\n\n${text}`,
  ].join('\n\n')
}

const hasRubric = ({ fields }: ReplayedTask): boolean => fields.rubric !== undefined

type Judge = NonNullable<Environment<ReplayedTask>['judges']>[number]

/** Without a rubric a judge would grade by its own taste. */
function onRubricsOnly(judge: Judge): Judge {
  return {
    ...judge,
    async score(task, trajectory, context) {
      if (hasRubric(task)) return judge.score(task, trajectory, context)
      throw new InputError(`The task ${task.id} has no rubric: no judge is asked about it.`, {
        hint: 'Label answers to tasks with a rubric.',
      })
    },
  }
}

function shapeWarnings(validation: readonly SleepTask[]): string[] {
  const weak = validation.filter(task => weakness(task) !== undefined)
  if (weak.length === 0) return []
  return [
    `Validation by form alone: ${listed(weak.map(({ id }) => id))}. A reply can pass without being right. Give each a rubric, or a check of the outcome.`,
  ]
}
