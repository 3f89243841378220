import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { InputError } from '../../core/errors/errors.js'
import { nearest } from '../../core/text/nearest.js'
import { directKeys } from '../config/keys.js'
import { flagNames, structuredName } from '../config/names.js'

/**
 * Converts flags of the Python SkillOpt, which has one for every config key, such as `--split_dir data`. They
 * become `--cfg-options` under the same names, for any command that accepts these; `--out_root` becomes our
 * `--out`.
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
      throw new InputError(`--${name} needs a value.`, { hint: `For example: --${name} VALUE` })
    }
    if (name === 'out_root' && own.has('--out')) result.push('--out', value)
    else result.push(`--cfg-options=--${name}=${value}`)
  }
  return result
}

/** Whether a flag belongs to the reference. Ours contain no underscores, so a flag with one does. */
function isTheirs(name: string, command: string): boolean {
  if (flagNames.includes(name)) return true
  if (!name.includes('_')) return false
  const near = nearest(name, flagNames)
  throw new InputError(
    `--${name} is a flag neither of skillopt ${command} nor of the Python SkillOpt${near === undefined ? '.' : `; did you mean --${near}?`}`,
    {
      hint: `\`skillopt ${command} --help\` lists skillopt's flags; docs/python-skillopt.md lists the supported Python flags.`,
    },
  )
}

/**
 * Handles `skillopt train --help --python`, which also lists the flags of the Python SkillOpt; the normal
 * help only mentions `--python`. Returns the command line without `--python`.
 */
export function withPythonHelp(argv: readonly string[], program: CommandUnknownOpts): string[] {
  const command = program.commands.find(one => one.name() === argv[0])
  const overrides = command?.options.find(({ long }) => long === '--cfg-options')
  const asksForHelp = argv.includes('--help') || argv.includes('-h')
  if (!asksForHelp || command === undefined || overrides === undefined) return [...argv]
  if (!argv.includes('--python')) {
    const note = `Python SkillOpt flags: skillopt ${command.name()} --help --python`
    if (theirCommands.includes(command.name())) command.addHelpText('after', `\n${note}`)
    return [...argv]
  }
  overrides.hidden = false
  command.addHelpText('after', pythonFlags())
  return argv.filter(word => word !== '--python')
}

/** Commands that the Python SkillOpt has as scripts. */
const theirCommands: readonly string[] = ['train', 'eval']

function pythonFlags(): string {
  const names = [...new Set(flagNames)].sort()
  const direct = names.flatMap(flag => {
    const setting = directKeys[structuredName(flag)]?.to
    return setting === undefined ? [] : [{ flag, setting }]
  })
  const width = Math.max(...direct.map(({ flag }) => flag.length))
  const others = names.filter(flag => !direct.some(one => one.flag === flag))
  const isOfRole = (flag: string) => others.includes(flag.replace(/^(target|optimizer)_/, ''))
  const bare = others
    .filter(flag => !/^(target|optimizer)_/.test(flag) || !isOfRole(flag))
    .map(flag => `--${flag}${others.includes(`target_${flag}`) ? '*' : ''}`)
  return [
    '',
    'Python SkillOpt flags and the settings they map to:',
    ...direct.map(({ flag, setting }) => `  --${flag.padEnd(width)}  ${setting}`),
    '',
    'Also accepted. The command first prints what each maps to; flags that',
    'cannot be supported are refused by name (*: also with target_ or optimizer_):',
    ...wrapped(bare),
    '',
    'Details: docs/python-skillopt.md',
  ].join('\n')
}

function wrapped(words: readonly string[], width = 78): string[] {
  const lines: string[] = []
  for (const word of words) {
    const line = lines.at(-1)
    if (line === undefined || line.length + word.length + 1 > width) lines.push(`  ${word}`)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}
