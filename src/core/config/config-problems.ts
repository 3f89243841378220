import type { z } from 'zod'
import { InputError } from '../errors/errors.js'
import { nearest, plain } from '../text/nearest.js'
import { expected, knownPaths, nodeAt, type SchemaNode, sectionOf } from './schema-nodes.js'
import { isSecretKey } from './secret-keys.js'
import { type ConfigTree, dotted, isSection, originOf, valueAt } from './tree.js'

const shownAtOnce = 10

/** One problem, as a sentence without a full stop. */
export interface Problem {
  /** Dotted path of the option; absent if the problem concerns no single option. */
  readonly path?: string
  readonly sentence: string
}

/** All problems of a config. The message shows the first few. */
export class ConfigError extends InputError {
  readonly problems: readonly Problem[]
  constructor(message: string, problems: readonly Problem[], options: { hint?: string }) {
    super(message, options)
    this.problems = problems
  }
}

/** What the sentences need besides the issue itself. */
export interface ProblemContext {
  readonly tree: ConfigTree
  readonly schema: SchemaNode
  /** Path of `schema` within the tree. Not empty if an environment checks its own part of the config. */
  readonly prefix?: readonly string[]
  /** Returns the user's name for an option, if it differs from ours. */
  readonly label?: (path: string) => string | undefined
}

/** One sentence per problem, in the user's terms and with its position in the file. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], context: ProblemContext): Problem[] {
  return issues.flatMap(issue => problemsIn(issue, [], context))
}

function problemsIn(
  issue: z.core.$ZodIssue,
  above: readonly PropertyKey[],
  context: ProblemContext,
): Problem[] {
  const path = [...above, ...issue.path]
  const { tree, prefix = [] } = context
  const value = valueAt(tree.data, [...prefix, ...path])
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => ({
      path: dotted([...prefix, ...path, key]),
      sentence: unknownKey([...path, key], context),
    }))
  }
  if (issue.code === 'invalid_union' && isSection(value)) {
    const inner = issue.errors.find(branch =>
      branch.some(one => one.path.length > 0 || one.code !== 'invalid_type'),
    )
    if (inner !== undefined) return inner.flatMap(one => problemsIn(one, path, context))
  }
  return [{ path: dotted([...prefix, ...path]), sentence: sentenceOf(issue, path, context) }]
}

function sentenceOf(issue: z.core.$ZodIssue, path: readonly PropertyKey[], context: ProblemContext): string {
  const { tree, schema, prefix = [] } = context
  const value = valueAt(tree.data, [...prefix, ...path])
  const name = nameOf(path, context)
  const place = placeOf(path, context)
  const ownWords = !/^(Invalid|Too|Unrecognized|Required)/.test(issue.message)
  if (ownWords && issue.code === 'custom') return `${name}: ${issue.message}${place}`
  const rule = ownWords ? issue.message : `must be ${expected(nodeAt(schema, path))}`
  if (value === undefined) return `${name} is missing: it ${rule}${place}`
  return `${name} ${rule}, but is ${shown(path, value)}${place}`
}

function unknownKey(path: readonly PropertyKey[], context: ProblemContext): string {
  const { schema, prefix = [] } = context
  const near = nearestPath(path.map(String), schema)
  const siblings = Object.keys(sectionOf(nodeAt(schema, path.slice(0, -1)))?.properties ?? {})
  const advice =
    near !== undefined
      ? `did you mean ${dotted([...prefix, ...near])}?`
      : siblings.length === 0
        ? 'there are no options here'
        : `known here: ${siblings.join(', ')}`
  return `${nameOf(path, context)} is not an option${placeOf(path, context)}; ${advice}`
}

/**
 * The known option that was most likely meant. Siblings are tried first, then options of the same name in
 * other sections.
 */
function nearestPath(path: readonly string[], schema: SchemaNode): readonly string[] | undefined {
  const key = path.at(-1) ?? ''
  const section = path.slice(0, -1)
  const all = knownPaths(schema).map(known => known.path)
  const neighbours = all.filter(known => dotted(known.slice(0, -1)) === dotted(section))
  const byName = nearest(
    key,
    neighbours.map(known => known.at(-1) ?? ''),
  )
  if (byName !== undefined) return [...section, byName]
  return all.find(known => plain(known.at(-1) ?? '') === plain(key))
}

function nameOf(path: readonly PropertyKey[], { prefix = [], label }: ProblemContext): string {
  const full = dotted([...prefix, ...path])
  return label?.(full) ?? (full === '' ? 'The config' : full)
}

function placeOf(path: readonly PropertyKey[], { tree, prefix = [] }: ProblemContext): string {
  const origin = originOf(tree, [...prefix, ...path])
  return origin === undefined ? '' : ` (${origin.replace(/^file /, '')})`
}

function shown(path: readonly PropertyKey[], value: unknown): string {
  if (path.some(key => isSecretKey(String(key)))) return 'something else'
  if (Array.isArray(value)) return 'a list'
  if (isSection(value)) return 'a section'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…"` : text
}

/** Reports all problems in one error, so that they can be fixed in one go. */
export function refuse(file: string, given: readonly (string | Problem)[], hint?: string): never {
  const problems = given.map(problem => (typeof problem === 'string' ? { sentence: problem } : problem))
  throw new ConfigError(refusalOf(file, problems), problems, hint === undefined ? {} : { hint })
}

function refusalOf(file: string, problems: readonly Problem[]): string {
  const [only] = problems
  if (problems.length === 1 && only !== undefined) return `${only.sentence}.`.replace(/([.?])\.$/, '$1')
  const list = problems.slice(0, shownAtOnce).map(({ sentence }) => `\n  - ${sentence}`)
  const rest = problems.length - list.length
  return `${file} has ${problems.length} problems:${list.join('')}${rest > 0 ? `\n  and ${rest} more` : ''}`
}
