import { visible, visibleLine } from '../../../core/text/visible.js'
import { readBook } from '../../../sleep/book/book.js'
import { type SleepTask, scoredBy, type TaskBook, weakness } from '../../../sleep/model/sleep-task.js'
import { checkWords, periodOf } from '../../../sleep/model/wording.js'
import { type ProjectProposals, readProposals } from '../../../sleep/proposal/night-proposals.js'
import type { SleepTaskDetail, SleepTaskLine, SleepTasks } from '../../contract/sleep.js'
import type { ServerContext } from '../context.js'
import { NotFoundError } from '../not-found.js'
import { projectCommands, sleepCommand } from './commands.js'
import { type KnownProject, nameOf } from './projects.js'

/** The recurring tasks of a project, including dropped ones. */
export async function tasksOf(project: KnownProject, context: ServerContext): Promise<SleepTasks> {
  const book = await readBook(project.folder, project.root)
  return {
    project: nameOf(project, context.cwd),
    harvestedAt: book.harvestedAt,
    sessions: Object.entries(book.sessions).map(([source, sessions]) => ({ source, sessions })),
    tasks: allTasks(book).map(({ task, droppedAt }) => taskLine(task, droppedAt)),
    passedOver: book.passedOver.map(({ text, reason, at }) => ({
      text: visible(text),
      reason: visibleLine(reason),
      at,
    })),
    commands: projectCommands(project, context.cwd),
  }
}

function allTasks({ tasks, dropped }: TaskBook): readonly {
  readonly task: SleepTask
  readonly droppedAt: string | undefined
}[] {
  return [
    ...tasks.map(task => ({ task, droppedAt: undefined })),
    ...dropped.map(({ task, at }) => ({ task, droppedAt: at })),
  ]
}

function taskLine(task: SleepTask, droppedAt: string | undefined): SleepTaskLine {
  const { id, intent, split, origin, writtenBy, reviewed, skill, evidence } = task
  const { occasions, requests, days, reworked, lastAt, score, sessions } = evidence
  return {
    id,
    split,
    origin,
    reviewed,
    droppedAt,
    occasions,
    requests,
    days,
    reworked,
    lastAt,
    score,
    intent: visible(intent),
    scoredBy: scoredBy(task),
    writtenBy: visibleLine(writtenBy),
    skill: skill === undefined ? undefined : visibleLine(skill),
    sessions: sessions.length,
  }
}

export async function taskOf(
  project: KnownProject,
  id: string,
  context: ServerContext,
): Promise<SleepTaskDetail> {
  const found = allTasks(await readBook(project.folder, project.root)).find(({ task }) => task.id === id)
  if (found === undefined) {
    throw new NotFoundError('There is no such task in this project.', {
      hint: 'The list of tasks has those that Sleep knows now; a harvest may have replaced it.',
    })
  }
  const { task, droppedAt } = found
  const { evidence, examples, family, derivedFrom } = task
  const command = (verb: string) => sleepCommand(project, context.cwd, 'tasks', verb, id)
  return {
    project: nameOf(project, context.cwd),
    line: taskLine(task, droppedAt),
    weakness: weakness(task),
    rubric: task.rubric.map(visible),
    checks: task.checks.map(check => checkWords(check, text => `“${visibleLine(text)}”`)),
    tools: (task.tools ?? []).map(({ name }) => name),
    family: family === id ? undefined : visibleLine(family),
    derivedFrom: derivedFrom === undefined ? undefined : visibleLine(derivedFrom),
    wordings: evidence.wordings,
    projects: evidence.projects,
    period: periodOf([evidence]),
    usedTools: evidence.tools.map(visibleLine),
    sessionNames: evidence.sessions.map(visibleLine),
    examples: examples.map(({ request, session, at, branch, text, before, answer }) => ({
      request: visibleLine(request),
      session: visibleLine(session),
      at,
      text: visible(text),
      before: before.map(visible),
      branch: branch && visibleLine(branch),
      answer: answer === undefined ? undefined : visible(answer),
    })),
    failures: evidence.failures.map(({ kind, text, session, at }) => ({
      kind,
      text: visible(text),
      session: visibleLine(session),
      at,
    })),
    taught: taughtBy(id, await readProposals(project.folder)),
    commands: { edit: command('edit'), drop: command('drop'), restore: command('restore') },
  }
}

/** Edits proposed because of a task. They refer to single examples of it, by the task's id plus a number. */
function taughtBy(id: string, { proposals }: ProjectProposals): SleepTaskDetail['taught'] {
  return proposals.flatMap(({ night, proposal }) => {
    const edits = proposal.edits.filter(({ tasks }) =>
      tasks.some(task => task === id || task.replace(/\.\d+$/, '') === id),
    )
    return edits.length === 0 ? [] : [{ night: night.number, edits: edits.length }]
  })
}
