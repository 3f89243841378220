import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isInstalled } from '../../../test/support/installed.js'
import type { Entry } from './entry.js'
import { plistText, readPlist } from './launchd.js'

const key = '0123456789abcdef'
const entry: Entry = {
  key,
  hour: 3,
  minute: 7,
  command: ['/usr/local/bin/node', ` <a> & "b" 'c' &amp; ]]> --> ü 日 😀 %h $x `, '', '</string>'],
}

test('a plist round-trips any command', () => {
  const texts = fc
    .string({ unit: 'binary' })
    .filter(text => !/[\p{Cc}\p{Cs}\u2028\u2029\ufffe\uffff]/u.test(text))
  fc.assert(
    fc.property(texts, fc.array(texts), fc.nat(23), fc.nat(59), (program, rest, hour, minute) => {
      const any: Entry = { key, hour, minute, command: [program, ...rest] }
      expect(readPlist(key, plistText(any))).toEqual(any)
    }),
  )
})

test('does not recognise a plist that a person has changed', () => {
  expect(readPlist(key, plistText(entry).replace('<integer>3<', '<integer>24<'))).toBeUndefined()
  expect(readPlist(key, plistText(entry).replace('ProgramArguments', 'Program'))).toBeUndefined()
  expect(readPlist(key, 'bplist00')).toBeUndefined()
})

const works = isInstalled('Tests of plists', 'python3', ['-c', 'import plistlib'])

test.skipIf(!works)('a program that reads plists finds what was meant', () => {
  const script = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))'
  const said = execFileSync('python3', ['-c', script], { input: plistText(entry), encoding: 'utf8' })
  expect(JSON.parse(said)).toEqual({
    Label: `skillopt.sleep.${key}`,
    ProgramArguments: entry.command,
    StartCalendarInterval: { Hour: 3, Minute: 7 },
    ProcessType: 'Background',
  })
})
