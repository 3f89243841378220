import { posix } from 'node:path'
import picomatch from 'picomatch'
import { z } from 'zod'
import { messageOf } from '../../../core/errors/errors.js'
import type { Tool } from '../../../core/ports/environment.js'
import { leadsOut, type Source, slashed } from './sources.js'
import { firstCharacters } from './text.js'

export interface ToolLimits {
  readonly globHits: number
  readonly grepHits: number
  readonly readLines: number
  readonly readCharacters: number
}

/** Maximum length of a line that `grep` shows; a document may be a single line. */
const longestHit = 1000
/** Maximum number of wildcards in a pattern, each of which multiplies the possible matches. */
const mostWildcards = 6
const longestPattern = 200

/**
 * The agent's tools for the sources of its task. A path is looked up only among these sources, so the agent
 * can reach no other files.
 */
export function createTools(
  sources: readonly Source[],
  readLines: (source: Source) => Promise<readonly string[]>,
  limits: ToolLimits,
): readonly Tool[] {
  const texts = new Map<Source, Promise<readonly string[]>>()
  const linesOf = (source: Source) => {
    const lines = texts.get(source) ?? readLines(source)
    texts.set(source, lines)
    return lines
  }
  const names = sources.map(({ path }) => path)
  const list = `The sources of this task are: ${names.join(', ')}.`
  const lookUp = (asked: string): Source | string => {
    const path = slashed(asked)
    if (leadsOut(path)) return `${asked} is not a path inside of the sources. ${list}`
    const found = sources.filter(source => source.path === path || posix.basename(source.path) === path)
    const exact = found.find(source => source.path === path) ?? (found.length === 1 ? found[0] : undefined)
    return exact ?? `${asked} is not a source of this task. ${list}`
  }

  return [
    defineTool({
      name: 'glob',
      description: `Lists the source files whose path or name matches a pattern such as *1951*. At most ${limits.globHits}.`,
      arguments: { pattern: z.string().nullish().describe('A glob pattern. All of them if it is left out.') },
      call: async given => {
        const asked = slashed(given.pattern ?? '')
        const pattern = asked === '' ? '*' : asked
        const problem = globProblem(pattern)
        if (problem !== undefined) return problem
        const matches = picomatch(pattern, { noextglob: true, nocase: true, dot: true })
        const hits = names.filter(name => matches(name) || matches(posix.basename(name)))
        return hits.length === 0
          ? `No source matches ${pattern}. ${list}`
          : withRest(hits, limits.globHits, 'sources')
      },
    }),
    defineTool({
      name: 'grep',
      description: `Finds the lines that contain a text, in upper or lower case. The text is taken literally. At most ${limits.grepHits} lines, each with its number.`,
      arguments: {
        pattern: z.string().min(1).describe('The text to look for.'),
        path: z.string().nullish().describe('The source to look in. All of them if it is left out.'),
      },
      call: async ({ pattern, path }) => {
        const everywhere = path === undefined || path === null
        const chosen = everywhere ? sources : [lookUp(path)]
        const hits: string[] = []
        for (const source of chosen) {
          if (typeof source === 'string') return source
          const prefix = everywhere ? `${source.path}:` : ''
          const found = findLines(await linesOf(source), pattern, limits.grepHits + 1 - hits.length)
          hits.push(...found.map(hit => prefix + hit))
        }
        return hits.length === 0
          ? `No line contains ${JSON.stringify(pattern)}.`
          : withRest(hits, limits.grepHits, 'lines')
      },
    }),
    defineTool({
      name: 'read',
      description: `Shows lines of a source. At most ${limits.readCharacters} characters at a time.`,
      arguments: {
        path: z.string().describe('The source.'),
        start: count(1).describe('The first line, counted from 1.'),
        limit: count(limits.readLines).describe('How many lines.'),
      },
      call: async ({ path, start, limit }) => {
        const source = lookUp(path)
        if (typeof source === 'string') return source
        const lines = await linesOf(source)
        if (start > lines.length) return `${source.path} has ${lines.length} lines.`
        return excerpt(lines, { start, limit, maxCharacters: limits.readCharacters })
      },
    }),
  ]
}

function findLines(lines: readonly string[], pattern: string, most: number): string[] {
  const wanted = pattern.toLowerCase()
  const hits: string[] = []
  for (const [index, line] of lines.entries()) {
    if (hits.length >= most) break
    if (line.toLowerCase().includes(wanted)) hits.push(`${index + 1}: ${firstCharacters(line, longestHit)}`)
  }
  return hits
}

function excerpt(
  lines: readonly string[],
  {
    start,
    limit,
    maxCharacters,
  }: { readonly start: number; readonly limit: number; readonly maxCharacters: number },
): string {
  const text = lines.slice(start - 1, start - 1 + limit).join('\n')
  const cut = firstCharacters(text, maxCharacters)
  if (cut === text) return text
  const last = start - 1 + cut.split('\n').length
  return `${cut}\n[Cut at ${maxCharacters} characters, in line ${last}.]`
}

function withRest(hits: readonly string[], most: number, what: string): string {
  return hits.length <= most
    ? hits.join('\n')
    : [...hits.slice(0, most), `[There are more: only the first ${most} ${what} are shown.]`].join('\n')
}

function globProblem(pattern: string): string | undefined {
  const wildcards = pattern.match(/\*+/g)?.length ?? 0
  return wildcards > mostWildcards || pattern.length > longestPattern
    ? `The pattern is too long: at most ${longestPattern} characters and ${mostWildcards} stars.`
    : undefined
}

// ── Arguments ───────────────────────────────────────────────────────────────

/** A number in a tool's arguments. Models send numbers as text, or 0 for the start; both are accepted. */
function count(usual: number) {
  return z.coerce
    .number()
    .default(usual)
    .transform(value => (value >= 1 ? Math.trunc(value) : usual))
}

function defineTool<Shape extends z.ZodRawShape>(definition: {
  readonly name: string
  readonly description: string
  readonly arguments: Shape
  call(given: z.infer<z.ZodObject<Shape>>): Promise<string>
}): Tool {
  const { name, description } = definition
  const schema = z.object(definition.arguments)
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return {
    name,
    description,
    parameters,
    async call(argumentsJson) {
      const given = parsed(argumentsJson)
      if (given instanceof Error) return `The arguments of ${name} are not JSON: ${messageOf(given)}.`
      const checked = schema.safeParse(given)
      return checked.success
        ? definition.call(checked.data)
        : `The arguments of ${name} are not usable: ${z.prettifyError(checked.error)}`
    },
  }
}

function parsed(argumentsJson: string): unknown {
  try {
    return argumentsJson.trim() === '' ? {} : JSON.parse(argumentsJson)
  } catch (error) {
    return error
  }
}
