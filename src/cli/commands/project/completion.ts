import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { exitCodes, InputError } from '../../../core/errors/errors.js'
import { hasRun, runsFolder } from '../../../store/run-directories.js'
import { type Io, printLine } from '../../terminal/io.js'

/** Completion scripts by shell. Each asks the program, so it always knows the current commands. */
const scripts: Readonly<Record<string, string>> = {
  bash: `_skillopt() {
  local IFS=$'\\n'
  COMPREPLY=($(skillopt completion-words "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _skillopt skillopt`,
  zsh: `autoload -U +X bashcompinit && bashcompinit
_skillopt() {
  local IFS=$'\\n'
  COMPREPLY=($(skillopt completion-words "\${COMP_WORDS[@]:1:$COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _skillopt skillopt`,
  fish: `complete -c skillopt -a '(skillopt completion-words (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
}

export function printCompletion(io: Io, shell: string): number {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined) {
    throw new InputError(`No completion for the shell "${shell}".`, {
      hint: `Supported: ${Object.keys(scripts).join(', ')}.`,
    })
  }
  printLine(io, script)
  return exitCodes.ok
}

export async function printWords(
  io: Io,
  program: CommandUnknownOpts,
  words: readonly string[],
): Promise<number> {
  const runs = await runNames(io.cwd)
  for (const word of candidates(program, words, runs)) printLine(io, word)
  return exitCodes.ok
}

/** Completions for the last word. Empty if a file or a free-form value is expected. */
export function candidates(
  program: CommandUnknownOpts,
  words: readonly string[],
  runs: readonly string[],
): string[] {
  const typed = words.at(-1) ?? ''
  let command = program
  const given: string[] = []
  for (const word of words.slice(0, -1)) {
    const inner = given.length === 0 ? command.commands.find(each => each.name() === word) : undefined
    if (inner !== undefined) command = inner
    else if (!word.startsWith('-')) given.push(word)
  }
  const known = typed.startsWith('-')
    ? optionsOf(command)
    : [...versionsAfterDiff(words), ...argumentsOf(command, given.length, runs)]
  return known.filter(word => word.startsWith(typed))
}

function optionsOf(command: CommandUnknownOpts): string[] {
  return [...command.options.flatMap(option => option.long ?? []), '--help']
}

function argumentsOf(command: CommandUnknownOpts, position: number, runs: readonly string[]): string[] {
  const argument =
    command.registeredArguments[position] ?? command.registeredArguments.findLast(last => last.variadic)
  const inner = position === 0 ? command.commands.map(each => each.name()).filter(isShown) : []
  if (argument?.name() === 'run') return [...inner, ...runs]
  return [...inner, ...(argument?.argChoices ?? [])]
}

/** Version names that complete `show --diff`, which takes two versions. */
const versionsAfterDiff = (words: readonly string[]): string[] =>
  words.slice(-3, -1).includes('--diff') ? ['seed', 'best', 'last'] : []

const isShown = (name: string): boolean => name !== 'completion-words'

async function runNames(cwd: string): Promise<string[]> {
  const folder = join(cwd, runsFolder)
  const entries = (await hasFolder(folder)) ? await readdir(folder) : []
  const checked = await Promise.all(
    entries.map(async name => ((await hasRun(join(folder, name))) ? [name] : [])),
  )
  return checked.flat().sort()
}

async function hasFolder(folder: string): Promise<boolean> {
  return readdir(folder).then(
    () => true,
    () => false,
  )
}
