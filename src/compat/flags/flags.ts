import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { InputError } from '../../core/errors/errors.js'
import { nearest } from '../../core/text/nearest.js'
import { flagNames } from '../config/names.js'

/**
 * The command line of the Python SkillOpt has a flag for every key of its config, such as `--split_dir data`. They are
 * passed on as `--cfg-options` under their own names, for whatever command takes those; `--out_root` is our `--out`.
 */
export function withReferenceFlags(argv: readonly string[], program: CommandUnknownOpts): string[] {
  const command = program.commands.find(one => one.name() === argv[0])
  const own = new Set(command?.options.map(({ long }) => long))
  if (command === undefined || !own.has('--cfg-options')) return [...argv]
  const result: string[] = []
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? ''
    if (word === '--') return [...result, ...argv.slice(index)]
    const [, name, joined] = /^--([a-z]\w*)(?:=([\s\S]*))?$/i.exec(word) ?? []
    if (name === undefined || own.has(`--${name}`) || !isTheirs(name, command.name())) {
      result.push(word)
      continue
    }
    const value = joined ?? argv[++index]
    if (value === undefined || (joined === undefined && value.startsWith('--'))) {
      throw new InputError(`--${name} takes a value.`, { hint: `For example: --${name} VALUE` })
    }
    if (name === 'out_root' && own.has('--out')) result.push('--out', value)
    else result.push(`--cfg-options=--${name}=${value}`)
  }
  return result
}

/** Ours have no underscores: whoever writes one means a flag of theirs. */
function isTheirs(name: string, command: string): boolean {
  if (flagNames.includes(name)) return true
  if (!name.includes('_')) return false
  const near = nearest(name, flagNames)
  throw new InputError(
    `--${name} is neither a flag of skillopt ${command} nor of the Python SkillOpt${near === undefined ? '.' : `; did you mean --${near}?`}`,
    {
      hint: `\`skillopt ${command} --help\` lists ours; docs/python-skillopt.md says what becomes of theirs.`,
    },
  )
}
