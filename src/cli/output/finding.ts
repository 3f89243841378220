import { SkillOptError } from '../../core/errors/errors.js'

/** What `doctor` says of one thing that it looked at. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail'
  readonly text: string
  /** What to do about it; further lines are lines for the config. */
  readonly hint?: string | undefined
  /** What went wrong, apart from where it was met. */
  readonly fault?: string
}

export interface Checked<T> {
  readonly value: T | undefined
  finding(say: (value: T) => string): Finding
}

/** Runs a check whose failure is a finding; a bug stays a bug. */
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
