import { z } from 'zod'
import { type Check, checksSchema, isShapeCheck } from '../../core/task/check.js'
import type { Trajectory } from '../../core/task/task.js'
import { caseFold, codePointLength, pythonRegex, strip } from './python-text.js'
import { defineScorer, type Fields } from './scorer.js'

/**
 * Checks a reply with rules. Hard is 1 if all checks pass; soft is the share that passes. Each task has its
 * own checks, as a list or as `{ checks }`; those in the options apply to every task.
 */
export const scorer = defineScorer({
  id: 'rules',
  extract: 'whole',
  options: {
    field: z
      .string()
      .default('checks')
      .describe('The task field with the list of checks, or an object with it.'),
    checks: checksSchema.optional().describe('Checks for all tasks, besides their own: a list of {op, arg}.'),
  },
  shapeOnly(task, { field, checks }) {
    const own = checksSchema.parse(ownChecks(task, field) ?? [])
    return [...(checks ?? []), ...own].every(isShapeCheck)
  },
  fields: ({ field, checks }) => (checks === undefined ? [field] : []),
  optionsProblem: ({ checks }) => checksProblem(checks ?? []),
  problem(task, { field, checks }) {
    const own = ownChecks(task, field)
    if (own === undefined) return checks === undefined ? `has no checks in "${field}"` : undefined
    const parsed = checksSchema.safeParse(own)
    if (!parsed.success) return `has malformed checks in "${field}": ${z.prettifyError(parsed.error)}`
    if (parsed.data.length === 0 && checks === undefined) return `has an empty list of checks in "${field}"`
    return checksProblem(parsed.data)
  },
  score({ task, answer, trajectory, options }) {
    const own = checksSchema.parse(ownChecks(task, options.field) ?? [])
    const checks = [...(options.checks ?? []), ...own]
    const failures = checks.flatMap(rule => failure(rule, answer, trajectory) ?? [])
    const passed = checks.length - failures.length
    return {
      hard: checks.length > 0 && failures.length === 0 ? 1 : 0,
      soft: checks.length === 0 ? 0 : passed / checks.length,
      feedback: [`${passed} of ${checks.length} checks passed.`, ...failures].join(' '),
    }
  },
})

function ownChecks(task: Fields, field: string): unknown {
  const value = task[field]
  const wrapped = z.looseObject({ checks: z.unknown() }).safeParse(value)
  return wrapped.success && !Array.isArray(value) ? wrapped.data.checks : value
}

/** Describes the first check that cannot be run. */
export function checksProblem(checks: readonly Check[]): string | undefined {
  for (const check of checks) {
    const problem = checkProblem(check)
    if (problem !== undefined) return problem
  }
  return undefined
}

export function checkProblem({ op, arg }: Check): string | undefined {
  if (op !== 'regex') return undefined
  try {
    pythonRegex(arg)
    return undefined
  } catch (error) {
    if (error instanceof SyntaxError)
      return `has a check with the malformed pattern /${arg}/: ${error.message}`
    throw error
  }
}

/** Why a check fails, for reflection; undefined if it passes. */
function failure(rule: Check, reply: string, trajectory: Trajectory): string | undefined {
  switch (rule.op) {
    case 'contains':
      return unless(includes(reply, rule.arg), `The reply does not contain "${rule.arg}".`)
    case 'not_contains':
      return unless(!includes(reply, rule.arg), `The reply contains "${rule.arg}", which it must not.`)
    case 'regex':
      return regexFailure(rule.arg, reply)
    case 'section_present':
      return unless(hasSection(reply, rule.arg), `The reply has no section "${rule.arg}".`)
    case 'section_contains':
      return unless(hasHeadingWith(reply, rule.arg), `No heading of the reply contains "${rule.arg}".`)
    case 'max_chars': {
      const length = codePointLength(reply)
      return unless(
        length <= rule.arg,
        `The reply has ${length} characters; at most ${rule.arg} are allowed.`,
      )
    }
    case 'min_chars': {
      const length = codePointLength(reply)
      return unless(
        length >= rule.arg,
        `The reply has ${length} characters; at least ${rule.arg} are needed.`,
      )
    }
    case 'no_refusal':
      return unless(!isRefusal(reply), 'The reply is empty or declines to answer.')
    case 'tool_called':
      return unless(wasCalled(rule.arg, reply, trajectory), `The tool "${rule.arg}" was not called.`)
  }
}

function unless(passes: boolean, reason: string): string | undefined {
  return passes ? undefined : reason
}

function includes(reply: string, literal: string): boolean {
  return reply.toLowerCase().includes(literal.toLowerCase())
}

function regexFailure(pattern: string, reply: string): string | undefined {
  try {
    return unless(pythonRegex(pattern).test(reply), `Nothing in the reply matches /${pattern}/.`)
  } catch (error) {
    if (error instanceof SyntaxError) return `The check itself is broken: /${pattern}/ is malformed.`
    throw error
  }
}

/**
 * Whether the reply has a section of this name: a heading that ends with it, or a line that begins with it in
 * bold or followed by a colon.
 */
function hasSection(reply: string, name: string): boolean {
  const literal = name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return [
    `^[ \\t]{0,3}#{1,6}[ \\t]+(?:[^\\n]*?)${literal}[ \\t]*#*[ \\t]*\\r?$`,
    `^[ \\t]*\\*\\*[^\\n]*?${literal}[^\\n]*?\\*\\*`,
    `^[ \\t]*${literal}[ \\t]*:`,
  ].some(pattern => new RegExp(pattern, 'imu').test(reply))
}

function hasHeadingWith(reply: string, literal: string): boolean {
  const headings = reply.match(/^ {0,3}#{1,6}[ \t].*$/gm) ?? []
  return headings.some(heading => caseFold(heading.replace(/^ *#+/, '')).includes(caseFold(literal)))
}

/** Maximum length of a refusal. Longer replies that begin like one usually go on to answer. */
const refusalLimit = 600

const declining = [
  "(?:i'm|i am) (?:very |so |really |truly )?(?:sorry|afraid|unable|not able|not allowed|not permitted|not sure)",
  '(?:sorry|apologies|my apologies|i apologi[sz]e|i regret)',
  "i (?:simply |really |just )?(?:cannot|can't|can not|could not|couldn't|won't|will not|must decline|have to decline|decline|refuse)",
  "i (?:do not|don't) (?:have|know)",
  "(?:cannot|can't|unable to|not able to) (?:help|answer|assist|comply|determine|provide|do)",
  '(?:unfortunately|regrettably),? (?:i|we|this|that|there)',
  'as an ai\\b',
  '(?:there is )?(?:not enough|insufficient) (?:information|context|data|evidence)',
].map(phrase => new RegExp(`^${phrase}(?![\\p{L}\\p{N}])`, 'u'))

function isRefusal(reply: string): boolean {
  const plain = strip(reply)
    .replace(/[*_`~]/g, '')
    .replace(/^[\s>#-]+/, '')
  if (plain === '') return true
  if (codePointLength(strip(reply)) >= refusalLimit) return false
  const opening = plain.slice(0, 120).toLowerCase().replaceAll('’', "'").replace(/\s+/g, ' ')
  return declining.some(phrase => phrase.test(opening))
}

function wasCalled(tool: string, reply: string, trajectory: Trajectory): boolean {
  const observed = trajectory.messages.some(
    message => message.toolCalls?.some(call => call.name === tool) ?? false,
  )
  if (observed) return true
  const announced = [...reply.matchAll(/TOOL_CALL:[ \t]*([\w.-]+)/g)].map(match => match[1])
  return announced.includes(tool)
}
