import { InputError } from '../errors/errors.js'
import { patternEffort } from './pattern-effort.js'

/** What a person wants hidden besides: the name of a customer, a number of an employee. */
export interface OwnPattern {
  /** What is shown in its place: `[redacted: customer]`. */
  readonly name: string
  /** A regular expression of JavaScript, without slashes and flags. */
  readonly pattern: string
}

export interface CheckedPattern {
  readonly kind: string
  readonly expression: RegExp
}

/** At one place of a text; with more, a text can be written for which it never ends. */
const mostSteps = 10_000

/** Refuses what is no regular expression, what can take for ever, and what would hide everything or nothing. */
export function checkPatterns(patterns: readonly OwnPattern[]): CheckedPattern[] {
  return patterns.map(({ name, pattern }) => {
    if (!/^[\w -]{1,60}$/.test(name)) {
      throw new InputError(`"${name}" cannot be the name of a pattern to redact.`, {
        hint: 'Use up to 60 letters, digits, spaces, hyphens and underscores.',
      })
    }
    const where = `The pattern to redact "${name}"`
    const expression = compile(where, pattern)
    if (expression.test('')) {
      throw new InputError(`${where} also matches nothing at all: ${pattern}.`, {
        hint: 'Let it demand at least one character, such as with + in place of *.',
      })
    }
    const { steps, endless } = patternEffort(pattern)
    if (steps > mostSteps) {
      throw new InputError(`${where} could take for ever on some texts, because of ${endless ?? pattern}.`, {
        hint: 'Give repetitions a low upper bound, such as {1,40}, unless they end the pattern, and write [ab]+ for (a|b)+.',
      })
    }
    return { kind: name, expression }
  })
}

function compile(where: string, pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'g')
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    throw new InputError(`${where} is no regular expression: ${detail}.`, {
      hint: 'A backslash goes before a character that is meant literally, such as \\. or \\(.',
      cause: error,
    })
  }
}
