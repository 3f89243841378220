import picocolors from 'picocolors'
import { describe, expect, it } from 'vitest'
import {
  bestText,
  finish,
  LogBuilder,
  sampleLog,
  seedHash,
  seedText,
} from '../../../test/support/sample-run.js'
import { testGain } from '../../core/view/test-results.js'
import { plainLines } from './plain.js'
import { endReport, sizeText, spendingReport, testTable, typeTable, unifiedDiff } from './run-report.js'

const colors = picocolors.createColors(false)
const tokens = { seed: 9, best: 14 }

describe('end report', () => {
  const view = finish(sampleLog()).view()
  const tested = { tasks: 10, better: 6, worse: 1, difference: { mean: 0.5, low: 0.1, high: 0.8 } }
  const given = { colors, directory: 'runs/sample', seed: seedText, tokens, tested }
  const text = endReport(view, { ...given, best: bestText })

  it('has scores with intervals, the diff, the place and the price', () => {
    expect(`\n${text}\n`).toMatchInlineSnapshot(`
      "
      sample-run  simulated   finished · 2 steps, 1 accepted

      Better: +50 points on 10 unseen test tasks (95% interval +10 to +80), 6 fixed, 1 broken. (simulated)
      To use it: skillopt install sample-run

      test split  tasks  score  95% interval    against initial
      no skill       10  10.0%  0.0% to 30.0%             −10.0
      initial        10  20.0%  0.0% to 40.0%
      best           10  70.0%  50.0% to 90.0%            +50.0
      last           10  70.0%  50.0% to 90.0%            +50.0

      The gate rejected 1 candidate that did worse on validation, up to −75.0 points (step 2).

      --- seed skill
      +++ best skill (v1)
      @@ -1,3 +1,4 @@
       # Sums
       
       Answer the question.
      +Round to two decimals.

      Best skill: runs/sample/best_skill.md (v1, validation 75.0%)
      Size:       about 14 tokens (o200k); the seed skill has about 9
      Details:    skillopt show runs/sample

      model      calls  tokens in  of these cached  tokens out  cost
      target        20      2,000              800         400  none
      optimizer      4        400              160          80  none
      total         24      2,400              960         480  none

      time 11 s in 1 session · simulated: no money was spent
      failed calls, retried: none · failed attempts, not scored: none
      optimizer failures: none · unmatched edits: 2
      "
    `)
  })

  it('says so when the seed skill stayed the best', () => {
    const best = view.best === undefined ? undefined : { ...view.best, version: 0 }
    const unchanged = endReport({ ...view, best }, { ...given, best: seedText })
    expect(unchanged).toContain(
      'No change: no candidate was better on validation; the seed skill ships. (simulated)',
    )
    expect(unchanged).not.toContain('+++')
  })

  it('shows the diff only for a finished run', () => {
    const stopped = sampleLog()
      .add('run.stopped', { reason: 'paused', message: 'The key was refused.' })
      .view()
    expect(
      endReport(stopped, { colors, directory: 'd', seed: seedText, best: bestText, tokens }),
    ).not.toContain('+++')
  })
})

describe('size of the skill', () => {
  const view = finish(sampleLog()).view()

  it('is said once where nothing changed, and against the limit if there is one', () => {
    expect(sizeText({ seed: 1234 }, view)).toBe('about 1,234 tokens (o200k)')
    expect(sizeText({ seed: 9, best: 9 }, view)).toBe('about 9 tokens (o200k)')
    const limited = { ...view, config: { optimizer: { tokenLimit: 2000 } } }
    expect(sizeText({ seed: 9, best: 14 }, limited)).toBe(
      'about 14 of 2,000 tokens (o200k); the seed skill has about 9',
    )
  })
})

describe('figures', () => {
  it('are not invented: nothing scored is not zero, unknown is unknown', () => {
    const log = new LogBuilder().start({ simulated: false })
    const summary = {
      hard: 0,
      soft: 0,
      scored: 0,
      failed: 4,
      score: 0,
      interval: { mean: 0.5, low: 0, high: 1 },
    }
    log.add('test.finished', { which: 'best', skill: seedHash, ...summary, types: [] })
    log.call('test', 0, 0, { usage: {}, cost: undefined })
    expect(testTable(log.view(), colors)).toMatch(/best +0 \(4 failed\) +none scored/)
    expect(testGain(log.view())).toBeUndefined()
    expect(spendingReport(log.view(), colors)).toMatch(/target +1 +unknown +unknown +unknown +unknown/)
    expect(spendingReport(log.view(), colors)).toContain('1 call without usage')
  })

  it('count what went wrong by kind', () => {
    const log = new LogBuilder().start()
    const place = { stage: 'rollout', epoch: 1, step: 1, role: 'target' } as const
    log.add('call.started', { ...place, try: 1, reserved: { input: 1, output: 1 } })
    log.add('call.started', { ...place, try: 1, reserved: { input: 1, output: 1 } })
    const failed = { ...place, try: 1, kind: 'timeout', message: '' }
    log.add('call.failed', { ...failed, charged: { input: 100, output: 4000 } })
    log.add('run.stopped', { reason: 'interrupted', message: '' })
    const text = spendingReport(log.view(), colors)
    expect(text).toContain('failed calls, retried: 1 (timeout 1)')
    expect(text).toContain('up to 4,100 tokens')
    expect(text).toContain('1 call in flight when a session ended')
  })

  it('are split by task type only when there are several', () => {
    const log = finish(sampleLog())
    expect(typeTable(log.view(), colors)).toBe('')
    const summary = { hard: 1, soft: 1, scored: 2, failed: 0, interval: { mean: 1, low: 0.5, high: 1 } }
    const types = [
      { type: 'sum', ...summary },
      { type: '', ...summary, scored: 0, failed: 2 },
    ]
    log.add('test.finished', { which: 'best', skill: seedHash, ...summary, score: 1, types })
    expect(typeTable(log.view(), colors)).toMatch(/\(no type\) +2 .*–/)
  })
})

it('colours a diff by its signs', () => {
  const painted = unifiedDiff('a\nb\n', 'a\nc\n', {
    from: 'v0',
    to: 'v1',
    colors: picocolors.createColors(true),
  })
  expect(painted).toContain('\u001b[31m-b\u001b[39m')
  expect(painted).toContain('\u001b[32m+c\u001b[39m')
})

describe('plain lines', () => {
  const log = finish(sampleLog())
  const lines = log.events.flatMap((event, index) => plainLines(log.view(index + 1), event, colors))

  it('tell the story of a run, and no single call', () => {
    expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      run sample-run [simulated]: 4 train, 4 validation, 10 test tasks; 2 epochs of at most 1 step
      baseline: validation 25.0% on 4 tasks
        best is now v0: validation 25.0%
      step 1/2 (epoch 1/2), at most 2 edits
        rollout: train 50.0% on 4 tasks
        reflect: 3 edits proposed by 1 analyst call
        select: 2 edits kept, 1 dropped
        gate: accept new best, validation 75.0% (was 25.0%): higher
        + add “Round to two decimals.”
        ? add “Round to two decimals.” after “No such line”
        step 1 accepted
        best is now v1: validation 75.0%
      step 2/2 (epoch 2/2), at most 2 edits
        rollout: train 50.0% on 4 tasks
        reflect: 3 edits proposed by 1 analyst call
        select: 2 edits kept, 1 dropped
        gate: reject, validation 0.0% (was 75.0%): lower
        − add “Never answer.”
        ? add “Never answer.” after “No such line”
        step 2 rejected
      epoch 2: slow update unchanged
      epoch 2: meta skill written
      test with no skill: 10.0% on 10 tasks
      test with the initial skill: 20.0% on 10 tasks
      test with the best skill: 70.0% on 10 tasks
      test with the last skill: 70.0% on 10 tasks
      finished in 11 s, 24 calls, simulated: no money was spent
      "
    `)
  })

  it('report the number of dreamed variants, and what was left out', () => {
    const log = new LogBuilder().start({ kind: 'mine', run: 'shop' })
    const dropped = ['“Notes\u001b[2J”: it says the same as the task']
    log.add('task.dreamed', { status: 'written', task: 'notes', variants: ['Notes for 2.0.'], dropped })
    log.add('task.dreamed', { status: 'skipped', task: 'sums', reason: 'nothing can score it' })
    log.add('task.dreamed', { status: 'failed', task: 'letters', problem: 'it holds no JSON object' })
    const lines = log.events.flatMap((event, index) => plainLines(log.view(index + 1), event, colors))
    expect(lines.slice(1)).toEqual([
      '  1 variant of notes',
      '    variant skipped: “Notes⟨U+001B⟩[2J”: it says the same as the task',
      '  no variants of sums: nothing can score it',
    ])
  })

  it('report the result of each mined task, and what was left out', () => {
    const log = new LogBuilder().start({ kind: 'mine', run: 'shop' })
    const checks = { checks: [], dropped: ['contains "ok": an answer passes it by writing these words'] }
    log.add('task.mined', {
      status: 'written',
      cluster: 'c1',
      intent: 'Write\u001b[2J\nnotes.',
      rubric: ['Whole.'],
      ...checks,
    })
    log.add('task.mined', { status: 'skipped', cluster: 'c2', reason: 'Only thanks.' })
    const message = 'The optimizer\'s reply to "mine" was unusable twice: it holds no JSON object'
    log.add('optimizer.failed', { stage: 'mine', epoch: 0, step: 0, message })
    log.add('task.mined', { status: 'failed', cluster: 'c3', problem: 'it holds no JSON object' })
    log.add('mining.finished', { written: 1, skipped: 1, failed: 1 })
    const lines = log.events.flatMap((event, index) => plainLines(log.view(index + 1), event, colors))
    expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      mining tasks for shop [simulated]
        task: Write⟨U+001B⟩[2J notes.
          check skipped: contains "ok": an answer passes it by writing these words
        no task: Only thanks.
      optimizer failed in mine: The optimizer's reply to "mine" was unusable twice: it holds no JSON object
      1 task written, 1 left out, 1 failed; 0 calls, simulated: no money was spent
      "
    `)
  })

  it('have no cursor codes', () => {
    expect(lines.join('')).not.toContain('\u001b')
  })

  it('name a kind of failure once', () => {
    const log = new LogBuilder().start()
    const failed = {
      stage: 'rollout',
      epoch: 1,
      step: 1,
      role: 'target',
      try: 1,
      message: 'slow down',
    } as const
    for (const kind of ['rate-limit', 'rate-limit', 'timeout']) log.add('call.failed', { ...failed, kind })
    const lines = log.events
      .slice(-3)
      .flatMap((event, index) => plainLines(log.view(index + 3), event, colors))
    expect(lines).toHaveLength(2)
  })
})
