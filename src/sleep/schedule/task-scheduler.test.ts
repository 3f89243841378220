import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isInstalled } from '../../../test/support/installed.js'
import type { Entry } from './entry.js'
import { createTaskScheduler, readTask, taskNames, taskText } from './task-scheduler.js'

const key = '0123456789abcdef'
const afternoon = new Date(2026, 11, 31, 14, 0)
const entry: Entry = {
  key,
  hour: 3,
  minute: 7,
  command: ['C:\\Program Files\\nodejs\\node.exe', 'C:\\Users\\Jörg & "Söhne"\\', '', '<a>'],
}

test('a task round-trips any command', () => {
  const texts = fc
    .string({ unit: 'binary' })
    .filter(text => !/[\p{Cc}\p{Cs}\u2028\u2029\ufffe\uffff]/u.test(text))
  fc.assert(
    fc.property(texts, fc.array(texts), fc.nat(23), fc.nat(59), (program, rest, hour, minute) => {
      const any: Entry = { key, hour, minute, command: [program, ...rest] }
      expect(readTask(key, taskText(any, afternoon))).toEqual(any)
    }),
  )
})

test('starts with the next night, because a past one would run at once', () => {
  expect(taskText(entry, afternoon)).toContain('<StartBoundary>2027-01-01T03:07:00</StartBoundary>')
  expect(taskText({ ...entry, hour: 23 }, afternoon)).toContain('>2026-12-31T23:07:00<')
  expect(taskText({ ...entry, hour: 14, minute: 0 }, afternoon)).toContain('>2027-01-01T14:00:00<')
})

test('runs without elevated rights and catches up on a missed night', () => {
  expect(taskText(entry, afternoon)).toContain('<RunLevel>LeastPrivilege</RunLevel>')
  expect(taskText(entry, afternoon)).toContain('<StartWhenAvailable>true</StartWhenAvailable>')
})

test('does not recognise a task that a person has changed', () => {
  const xml = taskText(entry, afternoon)
  expect(readTask(key, xml.replace('T03:07', 'T24:07'))).toBeUndefined()
  expect(readTask(key, xml.replace('<Arguments>', '<Arguments>&quot;'))).toBeUndefined()
  expect(readTask(key, '<Task/>')).toBeUndefined()
  // Windows rewrites the XML with character references and attributes.
  expect(readTask(key, xml.replace('<Command>', '<Command x="y">').replaceAll('&amp;', '&#38;'))).toEqual(
    entry,
  )
})

test('reads task names in any language, once each', () => {
  const csv =
    '\r\n"\\A b","16.11.2026 03:07:00","Bereit"\r\n"\\A b","N/A","Bereit"\r\n"\\C, d","N/A","Läuft"\r\n'
  expect(taskNames(csv)).toEqual(['\\A b', '\\C, d'])
  expect(taskNames('')).toEqual([])
})

test.each(['C:\\%PATH%\\node.exe', 'C:\\$(Arg0)\\x.js'])(
  '%s would be replaced, so it is refused',
  async path => {
    const machine = { env: {}, home: '/nowhere', platform: 'win32', userId: 0, now: () => afternoon } as const
    const { put } = createTaskScheduler(machine)
    await expect(put({ ...entry, command: [path] })).rejects.toThrow('would replace a part of this path')
    await expect(put({ ...entry, command: ['C:\\node.exe', path] })).rejects.toThrow('would replace')
    await expect(put({ ...entry, command: ['C:\\100%\\node.exe'] })).rejects.toThrow(
      'schtasks is not installed',
    )
  },
)

const works = isInstalled('Tests of task definitions', 'python3', ['-c', 'import xml.etree.ElementTree'])

test.skipIf(!works)('a program that reads XML finds what was meant', () => {
  const script = `
import json, sys, xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read())
space = '{http://schemas.microsoft.com/windows/2004/02/mit/task}'
print(json.dumps([root.find('.//' + space + name).text for name in ('Command', 'Arguments')]))`
  const input = Buffer.from(`\ufeff${taskText(entry, afternoon)}`, 'utf16le')
  const said = execFileSync('python3', ['-c', script], { input, encoding: 'utf8' })
  expect(JSON.parse(said)).toEqual([entry.command[0], '"C:\\Users\\Jörg & \\"Söhne\\"\\\\" "" "<a>"'])
})
