import { spawn } from 'node:child_process'
import { InputError } from '../../core/errors/errors.js'
import type { Io } from './io.js'

/** The user's editor as a program with arguments. It is split, because `code --wait` has two words. */
export function editorCommand(env: Io['env']): readonly string[] {
  const chosen = [env.VISUAL, env.EDITOR].find(command => command !== undefined && command.trim() !== '')
  const words = chosen?.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  return words.map(word => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))
}

/**
 * Opens a file in the user's editor, without a shell that could misread the file name. Resolves to the
 * editor's exit code.
 */
export async function openInEditor(io: Io, file: string): Promise<number> {
  const [program, ...args] = editorCommand(io.env)
  if (program === undefined) {
    throw new InputError('No editor found: neither VISUAL nor EDITOR is set.', {
      hint: 'Set one, for example EDITOR=nano, or pass the changes as options; --help lists them.',
    })
  }
  // While the editor runs, it alone handles Ctrl-C.
  const listenAgain = io.onInterrupt(() => undefined)
  return new Promise<number>((resolve, reject) => {
    const editor = spawn(program, [...args, file], { stdio: 'inherit', env: { ...io.env } })
    editor.once('error', cause =>
      reject(
        new InputError(`Cannot start the editor ${program}: ${cause.message}.`, {
          hint: 'Set VISUAL or EDITOR to an installed editor.',
          cause,
        }),
      ),
    )
    // The exit code is null if a signal ended the editor.
    editor.once('close', code => resolve(code ?? 1))
  }).finally(listenAgain)
}
