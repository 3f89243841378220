import { spawn } from 'node:child_process'
import { InputError } from '../../core/errors/errors.js'
import type { Io } from './io.js'

/** The editor that the user has chosen, as a program and its arguments: `code --wait` is two words. */
export function editorCommand(env: Io['env']): readonly string[] {
  const chosen = [env.VISUAL, env.EDITOR].find(command => command !== undefined && command.trim() !== '')
  const words = chosen?.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  return words.map(word => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))
}

/** Without a shell, which would read a file's name as it likes. Resolves to how the editor ended. */
export async function openInEditor(io: Io, file: string): Promise<number> {
  const [program, ...args] = editorCommand(io.env)
  if (program === undefined) {
    throw new InputError('No editor is known: neither VISUAL nor EDITOR is set.', {
      hint: 'Set EDITOR, such as EDITOR=nano, or say on the command line what to change; --help shows how.',
    })
  }
  // Ctrl-C on the terminal is for the editor.
  const listenAgain = io.onInterrupt(() => undefined)
  return new Promise<number>((resolve, reject) => {
    const editor = spawn(program, [...args, file], { stdio: 'inherit', env: { ...io.env } })
    editor.once('error', cause =>
      reject(
        new InputError(`The editor ${program} cannot be started: ${cause.message}.`, {
          hint: 'VISUAL or EDITOR names it.',
          cause,
        }),
      ),
    )
    // Ended by a signal, it has no code.
    editor.once('close', code => resolve(code ?? 1))
  }).finally(listenAgain)
}
