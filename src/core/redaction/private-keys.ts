import { matchAt, type Rule, runEnd, type Span } from './rule.js'

const beginning = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const ending = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y

/** Maximum distance in which the end of a key's block is searched; keys are shorter. */
const longestBlock = 32_768

/**
 * A line of the block: an optional prefix added by tools (line numbers, quotes, diff signs), then base64 or
 * a header of an encrypted key. Line breaks may be escaped, because keys are often stored in JSON.
 */
const line =
  /(?:\r?\n|\\{1,4}r?\\{0,4}n|\\{1,4}n|[ \t])(?:[ \t]{0,16}\d{0,6}[→|:>+*#-]{0,2}[ \t]{0,16})?(?:[A-Za-z0-9+/=]{16,16384}|(?:Proc-Type|DEK-Info|Version|Comment): [^\r\n\\]{1,80}|(?=\r?\n|\\n)|=[A-Za-z0-9+/]{4}\b|[A-Za-z0-9+/]{2,15}={1,2}|[A-Za-z0-9+/]{4,15}(?=\\?["'`]?\s{0,4}$))/y

const privateKeyRule: Rule = {
  anchors: ['-----BEGIN '],
  find(text, at) {
    const match = matchAt(beginning, text, at)
    if (match === undefined) return undefined
    const bodyStart = at + match[0].length
    const end = wholeBlockEnd(text, bodyStart) ?? runEnd(line, text, bodyStart)
    return end === bodyStart ? undefined : key(at, end)
  },
}

const sentence = /[a-z]{2} [a-z]{2,20} [a-z]{2}/

/**
 * End of a key's block. Undefined if the block was cut off, if another block begins first, or if the end
 * belongs to other text.
 */
function wholeBlockEnd(text: string, bodyStart: number): number | undefined {
  const window = text.slice(bodyStart, bodyStart + longestBlock)
  const dashes = /-----(?:BEGIN|END) /.exec(window)
  if (dashes === null) return undefined
  const match = matchAt(ending, window, dashes.index)
  if (sentence.test(window.slice(0, dashes.index))) return undefined
  return match && bodyStart + dashes.index + match[0].length
}

/** Finds a private key whose beginning was cut off. */
const cutBeginningRule: Rule = {
  anchors: ['-----END '],
  find(text, at) {
    const match = matchAt(ending, text, at)
    if (match === undefined) return undefined
    const start = firstLineOfTail(text, at)
    return start === at ? undefined : key(start, at + match[0].length)
  },
}

const longestTail = 4096
const lineBreak = /\r?\n|\\{1,4}n/g
const lineOfBody = /^[ \t]{0,16}\d{0,6}[→|:>+*#-]{0,2}[ \t]{0,16}[A-Za-z0-9+/]{2,}={0,2}[ \t]{0,16}$/

/** Walks back from the end of a block over lines of base64. */
function firstLineOfTail(text: string, at: number): number {
  const windowStart = Math.max(0, at - longestTail)
  const breaks = [...text.slice(windowStart, at).matchAll(lineBreak)]
  let start = at
  let lineEnd: number | undefined
  for (const {
    index,
    0: { length },
  } of breaks.reverse()) {
    const from = windowStart + index + length
    if (lineEnd !== undefined && !lineOfBody.test(text.slice(from, lineEnd))) return start
    if (lineEnd !== undefined) start = from
    lineEnd = windowStart + index
  }
  const isFirst = lineEnd !== undefined && lineOfBody.test(text.slice(windowStart, lineEnd))
  return isFirst ? windowStart : start
}

const puttyBeginning = /Private-Lines: \d{1,3}/y

const puttyRule: Rule = {
  anchors: ['Private-Lines: '],
  find(text, at) {
    const match = matchAt(puttyBeginning, text, at)
    if (match === undefined) return undefined
    const start = at + match[0].length
    const end = runEnd(line, text, start)
    return end === start ? undefined : key(start, end)
  },
}

function key(start: number, end: number): Span {
  return { kind: 'private key', start, end, certainty: 3 }
}

export const privateKeyRules: readonly Rule[] = [privateKeyRule, cutBeginningRule, puttyRule]
