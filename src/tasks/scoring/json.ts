import { messageOf } from '../../core/errors/errors.js'
import { strip } from './python-text.js'

export type Json =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string }

/** An answer's JSON, bare or in a code fence; of several fences the last. */
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

/** What a task or a config gives as JSON: a value, or, as in CSV, its text. */
export function givenJson(value: unknown): Json {
  return typeof value === 'string' ? parse(value) : { ok: true, value }
}

/** What follows walks the value recursively, and a reply must not be able to exhaust the stack. */
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

/** An object or a list, as opposed to a single value. */
export function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** `lines[0].price`, as people write it. */
export function showPath(path: readonly PropertyKey[]): string {
  const shown = path
    .map(step => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '')
  return shown === '' ? 'the answer' : shown
}

/** Some of many problems: what helps reflection is the kind of mistake, not each instance of it. */
export function listSome(problems: readonly string[]): string {
  const limit = 8
  const more = problems.length - limit
  return [...problems.slice(0, limit), ...(more > 0 ? [`${more} more of these.`] : [])].join(' ')
}
