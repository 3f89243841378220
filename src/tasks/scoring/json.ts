import { messageOf } from '../../core/errors/errors.js'
import { strip } from './python-text.js'

export type Json =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string }

/** Parses the JSON in an answer: all of it, or its last code block. */
export function readJson(answer: string): Json {
  const text = strip(answer)
  if (text === '') return { ok: false, problem: 'There is no answer, where JSON was expected.' }
  const bare = parse(text)
  if (bare.ok) return bare
  const fenced = [...text.matchAll(/^[ \t]*```[^\n]*\n([\s\S]*?)^[ \t]*```/gm)].at(-1)?.[1]
  const problem = (reason: string) =>
    ({ ok: false, problem: `The answer is not valid JSON: ${reason}.` }) as const
  if (fenced === undefined) return problem(bare.problem)
  const inside = parse(fenced)
  return inside.ok ? inside : problem(inside.problem)
}

/** Parses JSON from a task or a config: a value or, as in CSV, a text. */
export function givenJson(value: unknown): Json {
  return typeof value === 'string' ? parse(value) : { ok: true, value }
}

/** Maximum nesting depth. Values are walked recursively, and a reply must not exhaust the stack. */
const depthLimit = 100

function parse(text: string): Json {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, problem: messageOf(error) }
    throw error
  }
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthLimit) return { ok: false, problem: `it is nested deeper than ${depthLimit} levels` }
    level = level.flatMap(item => (isContainer(item) ? Object.values(item) : []))
  }
  return { ok: true, value }
}

/** Whether a value is an object or a list. */
export function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Formats a path like `lines[0].price`. */
export function showPath(path: readonly PropertyKey[]): string {
  const shown = path
    .map(step => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '')
  return shown === '' ? 'the answer' : shown
}

/** Joins the first problems. Reflection needs the kind of mistake and not every instance. */
export function listSome(problems: readonly string[]): string {
  const limit = 8
  const more = problems.length - limit
  return [...problems.slice(0, limit), ...(more > 0 ? [`${more} more of these.`] : [])].join(' ')
}
