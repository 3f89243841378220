import { InputError } from '../../core/errors/errors.js'
import type { ProgramEnd } from '../../system/run-program.js'
import { call, failure, type Machine, mustCall, saidBy } from './calls.js'
import { type Entry, entryOf, type FoundEntry, keyPattern, type NightSystem } from './entry.js'
import { cronWord, readCronWords } from './words.js'

const opening = (key: string) => `# >>> skillopt sleep ${key} >>>`
const closing = (key: string) => `# <<< skillopt sleep ${key} <<<`
const marks = new RegExp(`^# (?:>>>|<<<) skillopt sleep ${keyPattern} (?:>>>|<<<)$`, 'gm')
const blocks = new RegExp(
  `^# >>> skillopt sleep (${keyPattern}) >>>\\n((?:(?!# (?:>>>|<<<) skillopt sleep ).*\\n)*)# <<< skillopt sleep \\1 <<<(?:\\n|$)`,
  'gm',
)

const reading = ['crontab', '-l'] as const

/** Limit of Debian's cron, which rejects a longer command; other versions truncate it. */
const longestCommand = 998

export function createCron(machine: Machine): NightSystem {
  const write = async (text: string) => {
    await mustCall(machine, 'The crontab cannot be changed', ['crontab', '-'], Buffer.from(text, 'latin1'))
  }
  return {
    name: 'cron',
    remark: 'cron does not make up for a night that the machine sleeps through.',
    async problem() {
      const end = await call(machine, reading)
      if (end === undefined) return 'crontab is not installed'
      return end.code === 0 || isNone(end) ? undefined : `crontab ${saidBy(end)}`
    },
    async put(entry) {
      await write(withEntry(await readCrontab(machine), entry))
    },
    async list() {
      return entriesIn(await readCrontab(machine))
    },
    async remove(keys) {
      await write(withoutEntries(await readCrontab(machine), keys))
    },
  }
}

/**
 * Reads the crontab as latin1, byte by byte, so that other entries are written back unchanged in any
 * encoding.
 */
async function readCrontab(machine: Machine): Promise<string> {
  const end = await call(machine, reading)
  // A machine without cron, or a user without permission, has no entries.
  if (end === undefined || isNone(end) || /not allowed/i.test(end.stderr)) return ''
  if (end.code === 0) return end.stdout.toString('latin1')
  throw failure('The crontab cannot be read', reading, end)
}

const isNone = ({ code, stderr }: ProgramEnd) => code === 1 && /no crontab for/i.test(stderr)

/**
 * Inserts our entry at the top. Variables in a crontab, such as SHELL, apply to the lines below them and must
 * not affect our line.
 */
export function withEntry(crontab: string, entry: Entry): string {
  const line = cronLine(entry)
  const block = `${opening(entry.key)}\n${line}\n${closing(entry.key)}\n`
  return Buffer.from(block, 'utf8').toString('latin1') + withoutEntries(crontab, [entry.key])
}

export function cronLine({ hour, minute, command }: Entry): string {
  const text = command.map(cronWord).join(' ')
  if (Buffer.byteLength(text) > longestCommand) {
    throw new InputError(`The paths are too long for a line of a crontab: ${text}`, {
      hint: 'Install Node or skillopt in a folder with a shorter path, or set SKILLOPT_HOME to one.',
    })
  }
  return `${minute} ${hour} * * * ${text}`
}

export function withoutEntries(crontab: string, keys: readonly string[]): string {
  refuseTornBlocks(crontab)
  return crontab.replace(blocks, (block: string, key: string) => (keys.includes(key) ? '' : block))
}

export function entriesIn(crontab: string): readonly FoundEntry[] {
  refuseTornBlocks(crontab)
  return [...crontab.matchAll(blocks)].map(([, key = '', lines = '']) => {
    const line = Buffer.from(lines, 'latin1').toString('utf8').trimEnd()
    const [, minute, hour, command = ''] = /^(\d+)\s+(\d+)\s+\*\s+\*\s+\*\s+(.+)$/.exec(line) ?? []
    return { key, entry: entryOf(key, [hour, minute], readCronWords(command)) }
  })
}

/** Throws if a marker line is missing, because then our lines cannot be identified. */
function refuseTornBlocks(crontab: string): void {
  const [stray] = crontab.replace(blocks, '').match(marks) ?? []
  if (stray === undefined) return
  throw new InputError(`The crontab has the line "${stray}" without the one that belongs to it.`, {
    hint: 'Take that line and what belongs to it out with "crontab -e", then run the same command again.',
  })
}
