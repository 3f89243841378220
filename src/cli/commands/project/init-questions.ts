import { select, text } from '@clack/prompts'
import { InterruptedError } from '../../../core/errors/errors.js'

/** The questions that `init` asks in an interactive terminal. */
export interface Questions {
  /** Asks for text. Resolves to an empty string if the user enters nothing. */
  ask(message: string, placeholder: string): Promise<string>
  choose(message: string, options: readonly string[]): Promise<string>
}

export const terminalQuestions: Questions = {
  ask: async (message, placeholder) =>
    answered(await text({ message, placeholder, defaultValue: '' })).trim(),
  choose: async (message, options) =>
    answered(await select({ message, options: options.map(value => ({ value, label: value })) })),
}

/** Returns the user's text. The prompt library returns a symbol on Ctrl-C. */
function answered(answer: string | symbol): string {
  if (typeof answer === 'string') return answer
  throw new InterruptedError('Nothing was written.')
}
