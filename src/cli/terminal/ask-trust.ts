import { InputError } from '../../core/errors/errors.js'
import { itemText, type Trust, type TrustRequest, untrusted } from '../../project/trust.js'
import { clean, shownPath } from '../output/text.js'
import { type Io, printLine } from './io.js'

interface TrustFlags {
  readonly trust?: true | undefined
  readonly json?: boolean | undefined
}

/**
 * Whether to trust the config. `--trust` grants trust for one command; otherwise an interactive terminal asks
 * the user.
 */
export function trustFor(io: Io, flags: TrustFlags): Trust {
  if (flags.trust === true) return true
  return async request => {
    if (io.stdin.isTTY !== true || io.stdout.isTTY !== true || flags.json === true)
      throw untrusted(request, io.cwd)
    sayItems(io, request)
    return askForTrust()
  }
}

export function sayItems(io: Io, { file, items, hasChanged }: TrustRequest): void {
  const changed = hasChanged ? ' has changed since you trusted it. It' : ''
  printLine(io, `${io.colors.bold(clean(shownPath(file, io.cwd)))}${changed} can do this on your machine:`)
  for (const item of items) printLine(io, `  ${clean(itemText(item))}`)
}

export async function askForTrust(): Promise<'as-is' | 'always' | 'no'> {
  const { isCancel, select } = await import('@clack/prompts')
  const answer = await select({
    message: 'Do you trust the author of this project?',
    options: [
      { value: 'no' as const, label: 'No, run nothing' },
      { value: 'as-is' as const, label: 'Yes, as it is now; ask again after changes' },
      { value: 'always' as const, label: 'Yes, always, even after changes (my own project)' },
    ],
  })
  return isCancel(answer) ? 'no' : answer
}

export function cannotAsk(): InputError {
  return new InputError('Trusting this project needs your consent, but there is no terminal to ask.', {
    hint: 'Pass --yes to trust what is listed above.',
  })
}
