import { select, text } from '@clack/prompts'
import { InterruptedError } from '../../../core/errors/errors.js'

/** What `init` asks where somebody can answer. */
export interface Questions {
  /** Empty for no answer. */
  ask(message: string, placeholder: string): Promise<string>
  choose(message: string, options: readonly string[]): Promise<string>
}

export const terminalQuestions: Questions = {
  ask: async (message, placeholder) =>
    answered(await text({ message, placeholder, defaultValue: '' })).trim(),
  choose: async (message, options) =>
    answered(await select({ message, options: options.map(value => ({ value, label: value })) })),
}

/** Ctrl-C in a prompt answers with a symbol. */
function answered(answer: string | symbol): string {
  if (typeof answer === 'string') return answer
  throw new InterruptedError('Nothing was written.')
}
