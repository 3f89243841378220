import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  cronWord,
  decodePath,
  encodePath,
  readCronWords,
  readSystemdWords,
  readWindowsWords,
  systemdWords,
  windowsWord,
} from './words.js'

/** Texts with every character that some system treats specially. */
const hostile = fc
  .array(
    fc.constantFrom(
      ...`ab /\\'"%$&;|<>(){}[]=~!#\`*?:,@^`,
      'ü',
      '日',
      '😀',
      '%%',
      '\\%',
      '$HOME',
      '$' + '{A}',
      '%PATH%',
      '\\\\',
    ),
    { maxLength: 12 },
  )
  .map(parts => parts.join(''))
const commands = fc
  .tuple(hostile, fc.array(hostile, { maxLength: 4 }))
  .map(([first, rest]) => [first, ...rest] as const)

test('a crontab line round-trips', () => {
  fc.assert(
    fc.property(commands, words => {
      expect(readCronWords(words.map(cronWord).join(' '))).toEqual(words)
    }),
  )
})

/**
 * Transformations by different crons before the shell sees the line: it ends at the first unescaped percent
 * sign.
 */
const crons: Readonly<Record<string, (line: string) => string>> = {
  'that unescapes percent signs': line =>
    line.replace(/\\(%|.)|%.*/gsu, (all, next) => (next === '%' ? '%' : next === undefined ? '' : all)),
  'that unescapes backslashes, too': line =>
    line.replace(/\\(.)|%.*/gsu, (all, next) =>
      next === '%' || next === '\\' ? next : next === undefined ? '' : all,
    ),
  'that unescapes nothing': line => line,
}

test.each(Object.entries(crons))('a shell gets the same words from a cron %s', (_name, cron) => {
  const texts = fc.sample(hostile, { numRuns: 300, seed: 7 })
  const line = cron(texts.map(cronWord).join(' '))
  const said = execFileSync('/bin/sh', ['-c', `for word in ${line}; do printf '%s\\0' "$word"; done`], {
    encoding: 'utf8',
  })
  expect(said.split('\0').slice(0, -1)).toEqual(texts)
})

test('a broken crontab line has no words', () => {
  expect(readCronWords("'open")).toBeUndefined()
  expect(readCronWords('a "$(rm)"')).toBeUndefined()
})

test('a unit round-trips', () => {
  fc.assert(
    fc.property(commands, words => {
      expect(readSystemdWords(systemdWords(words))).toEqual(words)
    }),
  )
})

test('units double percent signs, and dollars except in the program', () => {
  expect(systemdWords(['/a$b/100%', '$HOME', 'q"\\'])).toBe('"/a$b/100%%" "$$HOME" "q\\"\\\\"')
  expect(readSystemdWords('/usr/bin/node x')).toBeUndefined()
})

test('a Windows command line round-trips', () => {
  fc.assert(
    fc.property(commands, words => {
      expect(readWindowsWords(words.map(windowsWord).join(' '))).toEqual(words)
    }),
  )
})

test('backslashes are doubled before a quotation mark only', () => {
  expect(windowsWord('C:\\a b\\')).toBe('"C:\\a b\\\\"')
  expect(windowsWord('a\\"b')).toBe('"a\\\\\\"b"')
  expect(readWindowsWords('C:\\x\\y "a b"')).toEqual(['C:\\x\\y', 'a b'])
  expect(readWindowsWords('"open')).toBeUndefined()
})

test('an encoded path has only characters that no system changes', () => {
  fc.assert(
    fc.property(hostile, path => {
      expect(decodePath(encodePath(path))).toBe(path)
      expect(encodePath(path)).toMatch(/^[A-Za-z0-9 \\/:._()~+,{}-]*$/)
    }),
  )
  expect(encodePath('C:\\Users\\Jörg\\100%')).toBe('C:\\Users\\J{f6}rg\\100{25}')
  expect(decodePath('{ffffff}')).toBe('{ffffff}')
})
