/**
 * The accepted answers of an item. They are a list or, in a table, a text with a JSON list, a Python list
 * (`['a', "b's"]`) or a single answer. Any other value is returned as a problem.
 */
export function readAnswers(value: unknown): readonly string[] | { readonly problem: string } {
  if (value === undefined) return { problem: 'is not there' }
  if (value === null) return { problem: 'holds no answer' }
  const listed = typeof value === 'string' ? listIn(value) : Array.isArray(value) ? value : [value]
  if (listed === undefined) return { problem: 'holds a list that cannot be read' }
  if (!listed.every(isPlain)) return { problem: 'holds something other than text and numbers' }
  const answers = listed.map(String)
  if (answers.every(answer => answer.trim() === '')) return { problem: 'holds no answer' }
  return answers.filter(answer => answer.trim() !== '')
}

function isPlain(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

function listIn(text: string): readonly unknown[] | undefined {
  const trimmed = text.trim()
  if (!trimmed.startsWith('[') || !trimmed.endsWith(']')) return [text]
  return jsonList(trimmed) ?? pythonList(trimmed)
}

function jsonList(text: string): readonly unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : undefined
  } catch {
    // Single quotes are not valid JSON, but the text may be a Python list.
    return undefined
  }
}

const string = /'((?:[^'\\]|\\[\s\S])*)'|"((?:[^"\\]|\\[\s\S])*)"/.source
const number = /-?\d+(?:\.\d+)?/.source
const element = new RegExp(`\\s*(?:${string}|(${number}))\\s*(,|$)`, 'y')

function pythonList(text: string): readonly string[] | undefined {
  const inside = text.slice(1, -1)
  const elements: string[] = []
  let at = 0
  while (inside.slice(at).trim() !== '') {
    element.lastIndex = at
    const found = element.exec(inside)
    if (found === null) return undefined
    const [whole, single, double, plain] = found
    elements.push(plain ?? unescaped(single ?? double ?? ''))
    at += whole.length
  }
  return elements
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' }

function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g,
    (_, byte?: string, short?: string, long?: string, character = '') => {
      const code = byte ?? short ?? long
      return code === undefined
        ? (escapes[character] ?? character)
        : String.fromCodePoint(Number.parseInt(code, 16))
    },
  )
}
