import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entriesIn, withEntry, withoutEntries } from './cron.js'
import type { Entry } from './entry.js'

const key = '0123456789abcdef'
const other = 'fedcba9876543210'
const entry: Entry = { key, hour: 3, minute: 17, command: ['/usr/bin/node', "/it's 100%/run.js", 'C:/ü'] }

test('writes a marked block before all lines that set variables', () => {
  const crontab = withEntry('SHELL=/usr/bin/fish\n0 1 * * * mine\n', entry)
  expect(Buffer.from(crontab, 'latin1').toString('utf8')).toBe(
    `# >>> skillopt sleep ${key} >>>
17 3 * * * '/usr/bin/node' '/it'"'"'s 100'\\%'/run.js' 'C:/ü'
# <<< skillopt sleep ${key} <<<
SHELL=/usr/bin/fish
0 1 * * * mine
`,
  )
})

test('keeps all other lines byte for byte', () => {
  const lines = fc.array(
    fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes).toString('latin1')),
  )
  fc.assert(
    fc.property(lines, parts => {
      const crontab = parts.join('\n')
      const both = withEntry(withEntry(crontab, entry), { ...entry, key: other })
      expect(entriesIn(both).map(found => found.entry)).toEqual([{ ...entry, key: other }, entry])
      expect(withoutEntries(both, [key, other])).toBe(crontab)
      expect(withoutEntries(withoutEntries(both, [other]), [key])).toBe(crontab)
    }),
  )
})

test('an entry replaces the previous one', () => {
  const later = { ...entry, hour: 5 }
  expect(withEntry(withEntry('a\n', entry), later)).toBe(withEntry('a\n', later))
})

test('recognises a block that a person moved and rescheduled', () => {
  const moved = `0 1 * * * mine\n${withEntry('', entry).replace('17 3', '5  23')}# last`
  expect(entriesIn(moved)).toEqual([{ key, entry: { ...entry, hour: 23, minute: 5 } }])
  expect(withoutEntries(moved, [key])).toBe('0 1 * * * mine\n# last')
})

test.each(['#17 3 * * *', '99 3 * * *', '@daily', '17 3 * * 1'])('%s is told as changed', time => {
  expect(entriesIn(withEntry('', entry).replace('17 3 * * *', time))).toEqual([{ key, entry: undefined }])
})

test('refuses a block with a missing marker', () => {
  const torn = withEntry('0 1 * * * mine\n', entry).replace(/^# <<<.*\n/m, '')
  for (const use of [
    () => entriesIn(torn),
    () => withEntry(torn, entry),
    () => withoutEntries(torn, [key]),
  ]) {
    expect(use).toThrow(`The crontab has the line "# >>> skillopt sleep ${key} >>>" without`)
  }
})

test('refuses a command that cron would truncate', () => {
  const long = { ...entry, command: ['/usr/bin/node', `/${'a'.repeat(1000)}`] as const }
  expect(() => withEntry('', long)).toThrow('too long for a line of a crontab')
})
