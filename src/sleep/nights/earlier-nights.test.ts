import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LogBuilder, sampleLog, seedHash } from '../../../test/support/sample-run.js'
import { sleepTask } from '../../../test/support/sleep-book.js'
import { earlierSteps } from '../../trainer/stages/memory.js'
import type { NightOutcome, NightPlan, PlannedTarget } from '../model/night-record.js'
import type { SleepTask } from '../model/sleep-task.js'
import { earlierNights } from './earlier-nights.js'
import type { Night } from './nights.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-earlier-nights-'))
})
afterAll(() => rm(folder, { recursive: true }))

const target = { name: 'skill:notes', region: 'now' }
const run = join('runs', 'skill-notes')

interface Given {
  readonly log?: LogBuilder | string
  readonly name?: string
  readonly region?: string
  readonly isOver?: boolean
  readonly tasks?: readonly SleepTask[]
}

/** A night with only the parts that are read. */
async function night(
  number: number,
  { log, name = target.name, region = 'then', isOver = true, tasks = [] }: Given = {},
): Promise<Night> {
  const own = await mkdtemp(join(folder, `${number}-`))
  if (log !== undefined) {
    await mkdir(join(own, run), { recursive: true })
    const text =
      typeof log === 'string' ? log : log.events.map(event => `${JSON.stringify(event)}\n`).join('')
    await writeFile(join(own, run, 'events.jsonl'), text)
  }
  const planned = { name, region } as PlannedTarget
  const result = { name, status: 'nothing-learned', reason: '', ...(log === undefined ? {} : { run }) }
  return {
    number,
    folder: own,
    proposal: undefined,
    begun: { number } as Night['begun'],
    plan: { targets: [planned], tasks } as unknown as NightPlan,
    outcome: isOver ? ({ targets: [result] } as unknown as NightOutcome) : undefined,
  }
}

/** A run in which every step appends the given number of lines and is rejected. */
function rejecting(
  steps: number,
  editsPerStep: number,
  name = 'rule',
  { tasks = [], score = 0.25 }: { readonly tasks?: readonly string[]; readonly score?: number } = {},
): LogBuilder {
  const log = new LogBuilder().start()
  for (let step = 1; step <= steps; step += 1) {
    const at = { epoch: 1, step }
    const edits = Array.from({ length: editsPerStep }, (_, index) => ({
      id: `${step}.${index}`,
      op: 'append' as const,
      content: `${name} ${step}.${index}`,
      why: '',
      support: 1,
      from: 'failure' as const,
      tasks: [...tasks],
    }))
    log.add('step.started', { ...at, tasks: [], skill: seedHash })
    log.add('aggregate.finished', { ...at, edits, failed: 0 })
    log.add('select.finished', { ...at, budget: 9, edits, dropped: [], failed: 0 })
    const reports = edits.map(({ id }) => ({ edit: id, status: 'applied' as const, reason: '' }))
    const text = log.put(`${name} ${step}`)
    log.add('update.finished', { ...at, skill: `c${step}`, text, reports })
    log.add('gate.decided', {
      ...at,
      what: 'step',
      candidate: `c${step}`,
      current: 0.5,
      score,
      best: 0.5,
      action: 'reject',
      verdict: { decision: 'reject', complete: tasks.length > 0 || step > 1, reason: 'lower' },
    })
    log.add('step.finished', { ...at, outcome: 'rejected', skill: seedHash })
  }
  return log
}

const lines = (memory: { readonly steps: Parameters<typeof earlierSteps>[0]['steps'] }) =>
  earlierSteps({ steps: memory.steps, metaSkill: undefined }, { failurePatterns: true, rejectedEdits: true })

describe('earlierNights', () => {
  it('returns rejected edits, newest first, the latest meta skill and the previous text', async () => {
    const nights = [
      await night(1, { log: sampleLog(), region: 'first' }),
      await night(2, { log: rejecting(2, 1), region: 'second' }),
    ]
    const { memory, problems } = await earlierNights(nights, target)
    expect(lines(memory)).toBe(
      [
        '<earlier_steps>',
        '- night 2 rejected (0.500 -> 0.250): append "rule 2.0"',
        '- night 2 rejected: append "rule 1.0"',
        // Excludes edits that were accepted, not applied or not selected.
        '- night 1 rejected (0.750 -> 0.000): append "Never answer."',
        '</earlier_steps>',
      ].join('\n'),
    )
    expect(memory).toMatchObject({ metaSkill: 'Small edits help.', previous: 'second' })
    expect(problems).toEqual([])
  })

  it('forgets what a gate rejected without a request of that kind in validation', async () => {
    const steps = async (validated: string, score = 0.5) => {
      const tasks = [
        sleepTask('notes', { partOf: 'notes' }),
        sleepTask(`${validated}-val`, { partOf: validated, split: 'val' }),
      ]
      const log = rejecting(1, 1, 'rule', { tasks: ['notes.1'], score })
      const { memory } = await earlierNights([await night(1, { log, tasks })], target)
      return memory.steps.length
    }
    expect(await steps('standup')).toBe(0)
    expect(await steps('standup', 0.25)).toBe(1)
    expect(await steps('notes')).toBe(1)
  })

  it('ignores other documents and unfinished nights', async () => {
    const nothing = { memory: { steps: [], metaSkill: undefined, previous: undefined }, problems: [] }
    const nights = [
      await night(1, { log: rejecting(1, 1), name: 'skill:other' }),
      await night(2, { log: rejecting(1, 1), isOver: false }),
      { ...(await night(3, { log: rejecting(1, 1) })), plan: undefined },
    ]
    expect(await earlierNights(nights, target)).toEqual(nothing)
    expect(await earlierNights([], target)).toEqual(nothing)
  })

  it('has no previous text if it is unchanged', async () => {
    const nights = [await night(1, { region: 'long ago' }), await night(2, { region: 'now' })]
    expect((await earlierNights(nights, target)).memory.previous).toBeUndefined()
  })

  it('is limited to the last five nights and thirty edits', async () => {
    const nights = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(number => night(number, { log: rejecting(1, 4, `n${number}`) })),
    )
    const five = lines((await earlierNights(nights, target)).memory)
    expect(five.match(/append/g)).toHaveLength(20)
    expect(five).not.toContain('n1 ')
    const busy = [
      await night(1, { log: rejecting(9, 4, 'old') }),
      await night(2, { log: rejecting(3, 4, 'new') }),
    ]
    const { steps } = (await earlierNights(busy, target)).memory
    expect(steps.flatMap(({ edits }) => edits)).toHaveLength(30)
    expect(lines({ steps }).match(/"new /g)).toHaveLength(12)
  })

  it('skips unreadable logs and reports them', async () => {
    const lost = await night(2, { log: rejecting(1, 1) })
    await rm(join(lost.folder, run), { recursive: true })
    const nights = [
      await night(1, { log: rejecting(1, 1, 'kept') }),
      lost,
      await night(3, { log: 'no JSON\n{"seq": 1}\nneither\n' }),
    ]
    const { memory, problems } = await earlierNights(nights, target)
    expect(lines(memory)).toContain('append "kept 1.0"')
    expect(problems).toEqual([
      expect.stringMatching(/^What night 3 tried for skill:notes is left out: /),
      expect.stringMatching(/^What night 2 tried for skill:notes is left out: .* is not a run directory/),
    ])
  })

  it('restores every kind of edit', async () => {
    const log = new LogBuilder().start()
    const about = { why: 'because', support: 2, from: 'success' as const, tasks: ['t1'] }
    const edits = [
      { ...about, id: '1', op: 'insert_after' as const, target: 'a', content: 'b' },
      { ...about, id: '2', op: 'replace' as const, target: 'c', content: 'd' },
      { ...about, id: '3', op: 'delete' as const, target: 'e' },
      { ...about, id: '4', op: 'rewrite' as const, content: 'f', summary: 'g' },
      { ...about, id: '5', op: 'suggest' as const, title: 'h', content: 'i' },
      { ...about, id: '6', op: 'remind' as const, content: 'j' },
    ]
    const at = { epoch: 1, step: 1 }
    log.add('step.started', { ...at, tasks: [], skill: seedHash })
    log.add('aggregate.finished', { ...at, edits, failed: 0 })
    const reports = edits.map(({ id }) => ({ edit: id, status: 'applied' as const, reason: '' }))
    log.add('update.finished', { ...at, skill: 'c', text: log.put('c'), reports })
    log.add('step.finished', { ...at, outcome: 'rejected', skill: seedHash })
    const { memory } = await earlierNights([await night(1, { log })], target)
    expect(memory.steps).toEqual([{ step: 1, when: 'night 1', outcome: 'rejected', patterns: [], edits }])
  })
})
