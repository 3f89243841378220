import { z } from 'zod'
import { pythonRegex, strip } from './python-text.js'

/** How to extract the answer from the agent's last message; the same for all scorers. */
const extraction = z.union([
  z.enum(['tag-or-last-line', 'tag-or-whole', 'tag', 'last-line', 'last-number', 'code-or-whole', 'whole']),
  z.strictObject({ regex: z.string().describe('The first group of the last match, or all of it.') }),
])

export type Extraction = z.infer<typeof extraction>

export function extractOption(usual: Extraction) {
  return extraction
    .default(usual)
    .describe(
      'Which part of the reply is the answer: the last <answer>…</answer> ("tag"), the last line that is not blank ("last-line"), the last number, the last code block ("code-or-whole"), the whole reply, or the last match of a regular expression. "tag-or-last-line" takes the line where there is no tag, "tag-or-whole" the whole reply.',
    )
}

/** Extracts the answer from a reply. `findTag` is for data sets that have their own rules for tags. */
export function extractAnswer(
  reply: string,
  how: Extraction,
  findTag: (reply: string) => string | undefined = lastTag,
): string {
  if (typeof how === 'object') {
    const match = [...reply.matchAll(pythonRegex(how.regex, 'g'))].at(-1)
    return strip(match?.[1] ?? match?.[0] ?? '')
  }
  switch (how) {
    case 'tag-or-last-line':
      return findTag(reply) ?? lastLine(reply)
    case 'tag-or-whole':
      return findTag(reply) ?? strip(reply)
    case 'tag':
      return findTag(reply) ?? ''
    case 'last-line':
      return lastLine(reply)
    case 'last-number':
      return numbersIn(reply).at(-1) ?? ''
    case 'code-or-whole':
      return lastCodeBlock(reply) ?? reply
    case 'whole':
      return reply
  }
}

/** Describes a problem with an extraction that its schema cannot detect. */
export function extractionProblem(how: Extraction): string | undefined {
  if (typeof how !== 'object') return undefined
  try {
    pythonRegex(how.regex)
    return undefined
  } catch (error) {
    if (error instanceof SyntaxError) return `extract.regex is not a regular expression: ${error.message}`
    throw error
  }
}

/** Numbers as they are written, without the dash of a range ("3-4") or digits inside words ("x2"). */
export function numbersIn(text: string): string[] {
  const number =
    /(?<![\p{L}\p{N}_]|\d\.)[-+−]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)?(?:(?<=\d)\.\d+|\.\d+|)(?:(?<=\d)[eE][-+]?\d+)?/gu
  return [...text.matchAll(number)].map(match => match[0]).filter(written => /\d/.test(written))
}

export function toNumber(written: string): number {
  return Number(written.replaceAll(',', '').replace('−', '-'))
}

function lastTag(reply: string): string | undefined {
  const tagged = [...reply.matchAll(/<answer>([\s\S]*?)<\/answer>/gi)].at(-1)?.[1]
  return tagged === undefined ? undefined : strip(tagged)
}

/** The last code block. Its closing fence is as long as the opening one, so it may contain other blocks. */
function lastCodeBlock(reply: string): string | undefined {
  return [...reply.matchAll(/^ {0,3}(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)^ {0,3}\1[ \t]*$/gm)].at(-1)?.[2]
}

function lastLine(reply: string): string {
  return (
    reply
      .split(/\r\n|\r|\n/)
      .map(strip)
      .filter(line => line !== '')
      .at(-1) ?? ''
  )
}
