import { SkillOptError } from '../../core/errors/errors.js'

/** One result of a `doctor` check. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail'
  readonly text: string
  /** How to solve the problem. Further lines are lines for the config. */
  readonly hint?: string | undefined
  /** Identifies the underlying error, wherever it occurred. It serves to remove duplicates. */
  readonly fault?: string
}

export interface Checked<T> {
  readonly value: T | undefined
  finding(say: (value: T) => string): Finding
}

/** Runs a check. Expected failures become findings; bugs are rethrown. */
export async function attempt<T>(
  what: string,
  work: () => Promise<T>,
  hintFor: (error: SkillOptError) => string | undefined = error => error.hint,
): Promise<Checked<T>> {
  try {
    const value = await work()
    return { value, finding: say => ({ level: 'ok', text: say(value) }) }
  } catch (error) {
    if (!(error instanceof SkillOptError)) throw error
    const { message } = error
    const finding: Finding = {
      level: 'fail',
      text: `${what}: ${message}`,
      hint: hintFor(error),
      fault: message,
    }
    return { value: undefined, finding: () => finding }
  }
}
