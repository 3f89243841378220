import { describe, expect, it } from 'vitest'
import { belonging, type ProcessEntry, readPs } from './processes.js'

const entry = (pid: number, parent: number, fields: Partial<ProcessEntry> = {}): ProcessEntry => ({
  pid,
  parent,
  group: pid,
  session: 1,
  marked: false,
  ...fields,
})

const idsOf = (processes: readonly ProcessEntry[]) => processes.map(({ pid }) => pid).sort()

describe('what belongs to an attempt', () => {
  it('is the group and the session of its leader, what is marked, and their children', () => {
    const processes = [
      entry(15, 14),
      entry(10, 1, { group: 10, session: 10 }),
      entry(11, 1, { group: 10, session: 9 }),
      entry(12, 1, { session: 10 }),
      entry(13, 1, { marked: true }),
      entry(14, 13),
      entry(20, 1),
      entry(21, 20),
    ]
    expect(idsOf(belonging(processes, { leader: 10, seen: new Map() }))).toEqual([10, 11, 12, 13, 14, 15])
    expect(idsOf(belonging(processes, { seen: new Map() }))).toEqual([13, 14, 15])
  })

  it('is also what was seen before, unless its number is another’s by now', () => {
    const processes = [entry(20, 1, { start: '5' }), entry(21, 1, { start: '6' }), entry(22, 20)]
    const seen = new Map([
      [20, '5'],
      [21, '5'],
    ])
    expect(idsOf(belonging(processes, { seen }))).toEqual([20, 22])
  })

  it('is never ourselves', () => {
    expect(belonging([entry(process.pid, 1, { marked: true })], { seen: new Map() })).toEqual([])
  })

  it('is empty if nothing is left', () => {
    expect(belonging([entry(20, 1), entry(21, 20)], { leader: 10, seen: new Map() })).toEqual([])
  })
})

it('reads what ps prints, and takes no word that only looks like the mark', () => {
  const printed = [
    '    1     0     1 /sbin/launchd',
    '  501     1   501 node agent.js HOME=/tmp/x SKILLOPT_ATTEMPT=one PATH=/bin',
    '  502   501   501 node agent.js SKILLOPT_ATTEMPT=one-more',
    '  503   501   503 grep XSKILLOPT_ATTEMPT=one',
    '',
  ].join('\n')
  expect(readPs(printed, 'one')).toEqual([
    { pid: 1, parent: 0, group: 1, marked: false },
    { pid: 501, parent: 1, group: 501, marked: true },
    { pid: 502, parent: 501, group: 501, marked: false },
    { pid: 503, parent: 501, group: 503, marked: false },
  ])
})
