import { InputError } from '../../core/errors/errors.js'
import type { Environment, ScoreContext } from '../../core/ports/environment.js'
import type { Score, Split, Task, Trajectory } from '../../core/task/task.js'
import { listed } from '../../core/text/format.js'
import { marked } from '../../core/text/marked.js'
import { userHome } from '../../system/home.js'
import { checkSplits, type Splits } from '../../tasks/loading/data.js'
import { usualTurns } from '../../tasks/own/options.js'
import { scoringParts } from '../../tasks/scoring/in-environment.js'
import { chooseScorer } from '../../tasks/scoring/index.js'
import type { Fields } from '../../tasks/scoring/scorer.js'
import { intentOf } from '../model/occasions.js'
import { askedIn, type SleepTask, scoredBy, type TaskExample, weakness } from '../model/sleep-task.js'
import { checkTasks } from './check-tasks.js'
import { createConfinement } from './own-places.js'
import { type CopyOptions, openCopies, type ProjectCopies, type ProjectState } from './project.js'
import { type ReplayedTool, sessionTool, toolsOf, uncallable, withPlainNames } from './tools.js'
import { longestForJudge, longestForReflection, type Work, workText } from './work-text.js'
import { createWorkplaces } from './workplaces.js'

export interface ReplayedTask extends Task {
  readonly type: string
  readonly prompt: string
  /** What the task is scored by: its rubric, or its checks if it has no rubric. */
  readonly fields: Fields
  readonly tools?: readonly ReplayedTool[]
  /** The state of the project of which the agent gets a copy. */
  readonly project?: ProjectState
}

/** `copies`: an agent works on a copy of the project; `none`: the task is text only. */
export type ReplayOptions = { readonly files: 'none' } | ({ readonly files: 'copies' } & CopyOptions)

/**
 * Creates the environment that replays a person's recurring requests. Each example of a task is a separate
 * attempt. `from` names the origin of the tasks in error messages.
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
  const workplaces = copies === undefined ? undefined : createWorkplaces(copies)
  const confine = confinement(options)
  const inSplit = (split: Split) => placed.filter(task => task.split === split)
  const replayedIn = (split: Split) =>
    inSplit(split).flatMap(task => replayed(task, copies, text => confine(text).text))
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
    warnings: [
      ...(copies?.warnings ?? []),
      ...placeWarnings(placed.filter(task => promptsOf(task).some(prompt => confine(prompt).namedOthers))),
      ...shapeWarnings(inSplit('val')),
      ...toolWarnings(placed),
    ],
    ...(all.some(hasRubric) ? judged : {}),
    tasks: async split => tasks[split],
    open: async ({ prompt, tools = [], project }, { isLook }) => ({
      instructions: '',
      prompt,
      skillAt: 'system',
      tools: tools.map(sessionTool),
      ...(workplaces === undefined || project === undefined || isLook === true
        ? { turnLimit: project === undefined ? turnsWith(tools) : usualTurns, close: async () => {} }
        : await workplaces.open(project)),
    }),
    async score(task, trajectory, context) {
      const { workspace } = context
      const work =
        workspace === undefined || task.project === undefined
          ? undefined
          : await workplaces?.previewSession(workspace, task.project)
      const score = (context: ScoreContext) =>
        (hasRubric(task) ? rubric : rules).score(task, withPlainNames(trajectory, task.tools ?? []), context)
      return work === undefined ? score(context) : scoreWithWork(score, work, { trajectory, context })
    },
  }
}

/**
 * Scores an attempt together with the files it changed: the judge sees them beside the answer, and the
 * feedback for reflection lists them.
 */
async function scoreWithWork(
  score: (context: ScoreContext) => Promise<Score>,
  work: Work,
  { trajectory, context }: { readonly trajectory: Trajectory; readonly context: ScoreContext },
): Promise<Score> {
  // After the output limit an agent reports no changes, so an empty list does not mean that it changed
  // nothing.
  const isUnknown = work.changes.length === 0 && trajectory.stop === 'output-limit'
  const isNothing = work.changes.length === 0 && trajectory.answer.trim() === ''
  const changedFiles = (longest: number) =>
    isUnknown ? 'The agent was stopped at a limit: what it changed is not known.' : workText(work, longest)
  const scored = await score(
    isNothing ? context : { ...context, changedFiles: changedFiles(longestForJudge) },
  )
  const shown = marked({ changed_files: changedFiles(longestForReflection) })
  return { ...scored, feedback: `${scored.feedback}\n\nWhat the agent did to the files:\n${shown}` }
}

function confinement(options: ReplayOptions): ReturnType<typeof createConfinement> {
  if (options.files === 'none') return text => ({ text, namedOthers: false })
  const { project, knownAs, env = process.env } = options
  return createConfinement([project, ...(knownAs === undefined ? [] : [knownAs])], userHome(env))
}

/** Turns allowed for an attempt: two calls per tool, three more turns, and one for the answer. */
const turnsWith = ({ length }: readonly ReplayedTool[]): number => (length === 0 ? 1 : 2 * length + 4)

function replayed(
  task: SleepTask,
  copies: ProjectCopies | undefined,
  confined: (text: string) => string,
): ReplayedTask[] {
  const { id } = task
  const type = intentOf(task)
  const fields = scoredBy(task) === 'rubric' ? { rubric: task.rubric } : { checks: task.checks }
  const tools = toolsOf(task, { inCopy: copies !== undefined })
  const asked = askedIn(task)
  return promptsOf(task).map((prompt, index) => ({
    id: `${id}.${index + 1}`,
    type,
    prompt: confined(prompt),
    fields,
    ...(tools.length === 0 ? {} : { tools }),
    ...(copies === undefined ? {} : { project: copies.stateFor(asked[index]?.request ?? id) }),
  }))
}

function promptsOf({ intent, examples }: SleepTask): readonly string[] {
  return examples.length === 0 ? [intent] : examples.map(example => promptOf(intent, example))
}

/** The intent comes before the request, because "do that for the other one too" means nothing by itself. */
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

/** Uses the judge only for tasks with a rubric. Without one it would apply its own preferences. */
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

function placeWarnings(tasks: readonly SleepTask[]): string[] {
  if (tasks.length === 0) return []
  return [
    `What is outside of the project is in no copy of it, and not told to the agent: ${listed(tasks.map(({ id }) => id))} named a place there.`,
  ]
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
