import { InputError } from '../errors/errors.js'
import { patternEffort } from './pattern-effort.js'

/** A user-defined pattern to hide, such as a customer's name or an employee number. */
export interface OwnPattern {
  /** Label of the redaction, as in `[redacted: customer]`. */
  readonly name: string
  /** A JavaScript regular expression, without slashes and flags. */
  readonly pattern: string
}

export interface CheckedPattern {
  readonly kind: string
  readonly expression: RegExp
}

/**
 * Maximum matching steps of a pattern at one position. A text could make a pattern beyond this run
 * practically forever.
 */
const mostSteps = 10_000

/**
 * Rejects regular expressions that are invalid, that can backtrack forever, or that hide everything or
 * nothing.
 */
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
