import { stringify } from 'yaml'
import { refuse } from '../../core/config/config-problems.js'
import { schemaNode } from '../../core/config/schema-nodes.js'
import { InputError } from '../../core/errors/errors.js'
import { allChecks, checkSchema } from '../../core/task/check.js'
import { parseText } from '../../system/documents.js'
import { type SleepTask, sleepTaskSchema } from '../model/sleep-task.js'
import { changeTask, type TaskChange } from './change.js'
import { checkProblems, schemaProblems } from './task-problems.js'

/** Converts the editable part of a task to text for an editor, and back. */

const editable = sleepTaskSchema
  .pick({ intent: true, rubric: true, checks: true, skill: true })
  .extend({ skill: sleepTaskSchema.shape.skill.nullable() })
const editableNode = schemaNode(editable)

export function taskText({ id, intent, rubric, checks, skill }: SleepTask): string {
  return `# Task ${id}. Save it and leave the editor; an empty file changes nothing.
# rubric: what a good answer does, point by point. checks: a list of {op, arg}, which count only without a rubric:
# ${allChecks.join(', ')}
${stringify({ intent, rubric, checks, skill: skill ?? null }, { lineWidth: 0 })}`
}

/**
 * Returns the edited task; undefined if the text is empty. Throws one `InputError` that lists all problems.
 */
export function readTaskText(task: SleepTask, text: string, shownAs: string): SleepTask | undefined {
  const { data, lines } = parseText(text, shownAs)
  if (data === null || data === undefined) return undefined
  const origins = new Map([...lines].map(([key, line]) => [key, `${shownAs}:${line}`]))
  const parsed = editable.safeParse(data)
  if (!parsed.success) refuse(shownAs, schemaProblems(data, parsed.error, { origins, schema: editableNode }))
  const { skill, ...words } = parsed.data
  const problems = checkProblems(words).map(({ check, text }) => {
    const at = origins.get(`checks.${check}`)
    return `the task ${text}${at === undefined ? '' : ` (${at})`}`
  })
  if (problems.length > 0) refuse(shownAs, problems)
  return changeTask(task, { ...words, skill: skill ?? null })
}

/** Like `readTaskText`, for values from the command line. */
export function checkedChange(task: SleepTask, change: TaskChange): SleepTask {
  const changed = changeTask(task, change)
  const { intent, rubric, checks, skill } = changed
  const parsed = editable.safeParse({ intent, rubric, checks, skill })
  const problems = parsed.success
    ? checkProblems(changed).map(({ text }) => `the task ${text}`)
    : schemaProblems({ intent, rubric, checks, skill }, parsed.error, { schema: editableNode })
  if (problems.length > 0) refuse(`Task "${task.id}"`, problems)
  return changed
}

/** Parses `contains=npm test`, `max_chars=400` or `no_refusal`. */
export function readCheck(text: string): SleepTask['checks'][number] {
  const [, op = '', given] = /^([^=]*)(?:=([\s\S]*))?$/.exec(text) ?? []
  const isCount = given !== undefined && /^\d+$/.test(given) && op.endsWith('_chars')
  const arg = isCount ? Number(given) : given === 'true' && op === 'no_refusal' ? true : given
  const parsed = checkSchema.safeParse({ op, ...(arg === undefined ? {} : { arg }) })
  if (parsed.success) return parsed.data
  throw new InputError(`"${text}" is no check.`, {
    hint: `Write it as op=arg, such as "contains=npm test" or max_chars=400. There are ${allChecks.join(', ')}.`,
  })
}
