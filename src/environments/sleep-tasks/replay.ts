import { InputError } from '../../core/errors.js'
import { listed } from '../../core/format.js'
import type { Environment, Session } from '../../core/ports.js'
import { askedIn, type SleepTask, scoredBy, type TaskExample, weakness } from '../../core/sleep-task.js'
import type { Split, Task } from '../../core/task.js'
import { removeFolder } from '../../system/remove-folder.js'
import { checkSplits, type Splits } from '../data.js'
import { scoringParts } from '../scoring/in-environment.js'
import { chooseScorer } from '../scoring/index.js'
import type { Fields } from '../scoring/scorer.js'
import { usualTurns } from '../tasks/options.js'
import { checkTasks } from './check-tasks.js'
import { type CopyOptions, openCopies, type ProjectCopies, type ProjectState } from './project.js'
import { type ReplayedTool, sessionTool, toolsOf, uncallable, withPlainNames } from './tools.js'

export interface ReplayedTask extends Task {
  readonly type: string
  readonly prompt: string
  /** The rubric, or the checks where there is none. */
  readonly fields: Fields
  readonly tools?: readonly ReplayedTool[]
  /** What the agent gets a copy of. */
  readonly project?: ProjectState
}

/** Whether an agent works on a copy of the project; words are all there is without one. */
export type ReplayOptions = { readonly files: 'none' } | ({ readonly files: 'copies' } & CopyOptions)

/**
 * What a person keeps asking their agents for, asked again: each example of a task is tried by itself. `from` names the
 * tasks in complaints.
 */
export async function createReplay(
  given: readonly SleepTask[],
  options: ReplayOptions,
  from = 'The tasks',
): Promise<Environment<ReplayedTask>> {
  const placed = given.filter(({ split }) => split !== 'held-back')
  checkTasks(placed, from)
  const requests = placed.flatMap(askedIn).map(({ request }) => request)
  const copies = options.files === 'none' ? undefined : await openCopies(options, requests)
  const inSplit = (split: Split) => placed.filter(task => task.split === split)
  const replayedIn = (split: Split) => inSplit(split).flatMap(task => replayed(task, copies))
  const tasks: Splits<ReplayedTask> = {
    train: replayedIn('train'),
    val: replayedIn('val'),
    test: replayedIn('test'),
  }
  checkSplits(tasks, ({ prompt }) => prompt)
  const rubric = await scoringParts<ReplayedTask>(chooseScorer('rubric'))
  const rules = await scoringParts<ReplayedTask>(chooseScorer('rules'))
  const all = [...tasks.train, ...tasks.val, ...tasks.test]
  const judged = { scoring: rubric.scoring ?? {}, judges: (rubric.judges ?? []).map(onRubricsOnly) }
  return {
    id: 'sleep-tasks',
    needs: [
      'chat',
      ...(copies === undefined ? [] : ['workspace' as const]),
      ...(all.some(({ tools }) => tools !== undefined) ? ['tools' as const] : []),
    ],
    warnings: [...(copies?.warnings ?? []), ...shapeWarnings(inSplit('val')), ...toolWarnings(placed)],
    ...(all.some(hasRubric) ? judged : {}),
    tasks: async split => tasks[split],
    open: async ({ prompt, tools = [], project }, { isLook }) => ({
      ...{ instructions: '', prompt, skillAt: 'system', tools: tools.map(sessionTool) },
      ...(copies === undefined || project === undefined || isLook === true
        ? { turnLimit: project === undefined ? turnsWith(tools) : usualTurns, close: async () => {} }
        : workplace(await copies.make(project))),
    }),
    score: (task, trajectory, context) =>
      (hasRubric(task) ? rubric : rules).score(task, withPlainNames(trajectory, task.tools ?? []), context),
  }
}

/** A call of each tool, a second look at some, and the answer. */
const turnsWith = ({ length }: readonly ReplayedTool[]): number => (length === 0 ? 1 : 2 * length + 4)

function workplace(workspace: string): Pick<Session, 'workspace' | 'turnLimit' | 'close'> {
  return { workspace, turnLimit: usualTurns, close: () => removeFolder(workspace) }
}

function replayed(task: SleepTask, copies: ProjectCopies | undefined): ReplayedTask[] {
  const { id, intent, examples } = task
  const fields = scoredBy(task) === 'rubric' ? { rubric: task.rubric } : { checks: task.checks }
  const tools = toolsOf(task, { inCopy: copies !== undefined })
  const prompts = examples.length === 0 ? [intent] : examples.map(example => promptOf(intent, example))
  const asked = askedIn(task)
  return prompts.map((prompt, index) => ({
    ...{ id: `${id}.${index + 1}`, type: id, prompt, fields },
    ...(tools.length === 0 ? {} : { tools }),
    ...(copies === undefined ? {} : { project: copies.stateFor(asked[index]?.request ?? id) }),
  }))
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

function toolWarnings(tasks: readonly SleepTask[]): string[] {
  const names = [...new Set(tasks.flatMap(uncallable))]
  if (names.length === 0) return []
  return [
    `A check of tool_called names what cannot be the name of a tool: ${listed(names)}. It is met only by an agent's own tool of that name.`,
  ]
}
