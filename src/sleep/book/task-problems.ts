import type { z } from 'zod'
import { problemsOf } from '../../core/config/config-problems.js'
import { expected, type SchemaNode, schemaNode } from '../../core/config/schema-nodes.js'
import { isSection, valueAt } from '../../core/config/tree.js'
import { InputError } from '../../core/errors/errors.js'
import { checkProblem } from '../../tasks/scoring/rules.js'
import { type SleepTask, taskBookSchema, tasksFormat } from '../model/sleep-task.js'

/** Describes problems with tasks, as sentences without a full stop. */

/** Maps the dotted path of a value to its location, such as `tasks.yaml:12`. */
export type Origins = ReadonlyMap<string, string>

const bookNode = schemaNode(taskBookSchema)

export function schemaProblems(
  data: unknown,
  { issues }: z.ZodError,
  { origins = new Map(), schema = bookNode }: { origins?: Origins; schema?: SchemaNode } = {},
): string[] {
  if (!isSection(data)) return [`the text must be ${expected(schema)}, but is ${kindOf(data)}`]
  const tree = { data, origins: new Map(origins) }
  const problems = problemsOf(issues, { tree, schema, label: path => labelOf(path, data) })
  return problems.map(({ sentence }) => sentence)
}

function kindOf(data: unknown): string {
  if (data === null || data === undefined) return 'empty'
  return Array.isArray(data) ? 'a list' : 'a single value'
}

/** Names a task by its id, which a person recognises more easily than `tasks.3.intent`. */
function labelOf(path: string, data: unknown): string | undefined {
  const [, index, key] = /^tasks\.(\d+)(?:\.(.+))?$/.exec(path) ?? []
  if (index === undefined) return undefined
  const id = valueAt(data, ['tasks', Number(index), 'id'])
  const task = typeof id === 'string' && id !== '' ? `task "${id}"` : `task ${Number(index) + 1}`
  return key === undefined ? task : `${task}: ${key}`
}

/** Throws if the file's format is newer than this version of skillopt, because such a file is not damaged. */
export function checkFormat(data: unknown, file: string): void {
  const format = valueAt(data, ['format'])
  const [prefix = ''] = tasksFormat.split(/\d+$/)
  const version = (text: string) => Number(text.slice(prefix.length))
  if (typeof format !== 'string' || !format.startsWith(prefix) || !(version(format) > version(tasksFormat)))
    return
  throw new InputError(`${file} is of a newer format, ${format}; this skillopt knows ${tasksFormat}.`, {
    hint: 'Update skillopt. The file was left as it is.',
  })
}

/** Finds checks that cannot run in a task that is otherwise valid. */
export function checkProblems({ checks }: Pick<SleepTask, 'checks'>): {
  readonly check: number
  readonly text: string
}[] {
  return checks.flatMap((check, index) => {
    const text = checkProblem(check)
    return text === undefined ? [] : [{ check: index, text }]
  })
}
