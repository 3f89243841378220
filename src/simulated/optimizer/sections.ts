import { type ChatRequest, textOfRoles } from '../chat.js'

/** Parses the tagged sections of an optimizer prompt. Like a model, it uses only the prompt's text. */

export interface Trajectory {
  readonly number: number
  readonly passed: boolean
  readonly question: string
  readonly reply: string
  readonly feedback: string
  /** The trajectory as it is written in the prompt. */
  readonly whole: string
}

export interface Pair {
  readonly outcome: string
  readonly question: string
  readonly after: string
  readonly feedback: string
}

export interface ListedEdit {
  readonly index: number
  readonly op: string
  readonly target?: string
  readonly content?: string
  /** Suggestions have a `title` and an `instruction`. */
  readonly title?: string
  readonly instruction?: string
  readonly support: number
  readonly source: 'failure' | 'success'
}

export function userTextOf(request: ChatRequest): string {
  return textOfRoles(request, ['user'])
}

/** The content of the first `<name>…</name>` in a prompt; `undefined` if there is none. */
export function section(text: string, name: string): string | undefined {
  const opening = new RegExp(`^<${name}>`, 'm').exec(text) ?? new RegExp(`<${name}>`).exec(text)
  if (opening === null) return undefined
  const start = opening.index + opening[0].length
  const end = text.indexOf(`</${name}>`, start)
  return text.slice(start, end === -1 ? text.length : end).replace(/^\n|\n$/g, '')
}

export function editLimitOf(text: string): number {
  const limit = Number.parseInt(section(text, 'edit_limit') ?? '', 10)
  return Number.isNaN(limit) ? 4 : Math.max(0, limit)
}

/** Number of remedies per cause that the prompt asks for; `undefined` if it asks for one. */
export function alternativesOf(text: string): number | undefined {
  const alternatives = Number.parseInt(section(text, 'alternatives') ?? '', 10)
  return Number.isNaN(alternatives) ? undefined : Math.max(1, alternatives)
}

export function trajectoriesIn(text: string): Trajectory[] {
  return elements(section(text, 'trajectories') ?? '', 'trajectory').map(({ attributes, body }, index) => {
    // Removes the other attempt at the same task. The prompt shows it only for comparison.
    const own = body.replace(/<better_attempt[\s\S]*<\/better_attempt>/, '')
    return {
      number: Number(attributes.number ?? index + 1),
      passed: attributes.result === 'passed',
      question: block(own, 'user'),
      reply: block(own, 'assistant'),
      feedback: block(own, 'feedback'),
      whole: own,
    }
  })
}

export function pairsIn(text: string): Pair[] {
  return elements(section(text, 'comparisons') ?? '', 'pair').map(({ attributes, body }) => ({
    outcome: attributes.outcome ?? '',
    question: block(body, 'user'),
    after: block(body, 'after'),
    feedback: block(body, 'feedback'),
  }))
}

/** The edits, suggestions or versions that a section of the prompt lists, one per line. */
export function listedIn(text: string, name: 'edits' | 'suggestions'): ListedEdit[] {
  const edits: ListedEdit[] = []
  for (const line of (section(text, name) ?? '').split('\n')) {
    const match = /^\s*\[(\d+)\]\s*(\{.*\})\s*$/.exec(line)
    const parsed = match?.[2] === undefined ? undefined : parseObject(match[2])
    if (match === null || parsed === undefined) continue
    const { op, target, title, instruction, support_count: support, source_type: source } = parsed
    const content = parsed.content ?? parsed.new_skill
    edits.push({
      index: Number(match[1]),
      op: typeof op === 'string' ? op : 'append',
      ...(typeof target === 'string' ? { target } : {}),
      ...(typeof content === 'string' ? { content } : {}),
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof instruction === 'string' ? { instruction } : {}),
      support: typeof support === 'number' ? support : 1,
      source: source === 'success' ? 'success' : 'failure',
    })
  }
  return edits
}

/** Parses a line as JSON; `undefined` if it is none. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

interface Element {
  readonly attributes: Readonly<Record<string, string>>
  readonly body: string
}

function elements(text: string, name: string): Element[] {
  const found: Element[] = []
  for (const match of text.matchAll(new RegExp(`<${name}( [^>]*)?>([\\s\\S]*?)</${name}>`, 'g'))) {
    const attributes: Record<string, string> = {}
    for (const pair of (match[1] ?? '').matchAll(/(\w+)="([^"]*)"/g)) {
      if (pair[1] !== undefined && pair[2] !== undefined) attributes[pair[1]] = pair[2]
    }
    found.push({ attributes, body: match[2] ?? '' })
  }
  return found
}

/** The text after the last line with this `[label]`, up to the next label. */
function block(body: string, label: string): string {
  const lines = body.split('\n')
  const start = lines.findLastIndex(line => line.trim() === `[${label}]`)
  if (start === -1) return ''
  const rest = lines.slice(start + 1)
  const end = rest.findIndex(line => /^\[[a-z_]+\]$/.test(line.trim()))
  return (end === -1 ? rest : rest.slice(0, end)).join('\n').trim()
}
