import picocolors from 'picocolors'
import { describe, expect, it } from 'vitest'
import { finish, LogBuilder, sampleLog, seedHash } from '../../../test/support/sample-run.js'
import type { RunView } from '../../core/view/fold.js'
import { renderFrame } from './progress.js'
import { widthOf } from './text.js'

const plain = picocolors.createColors(false)
const coloured = picocolors.createColors(true)
const frame = (view: RunView, options: { width?: number; height?: number; colors?: typeof plain } = {}) =>
  renderFrame(view, { width: 80, height: 40, now: view.lastAt + 500, colors: plain, ...options })

describe('live view', () => {
  it('says how long there has been no news while something is under way', () => {
    const place = { stage: 'baseline', epoch: 0, step: 0 } as const
    const reserved = { input: 10, output: 10 }
    const view = sampleLog()
      .add('call.started', { ...place, role: 'target', try: 1, reserved })
      .view()
    const after = (ms: number) =>
      renderFrame(view, { width: 80, height: 40, now: view.lastAt + ms, colors: plain })
    expect(after(19_000)).toContain('(1 in flight)')
    expect(after(150_000)).toMatch(/\(1 in flight, last event 2 min 30 s ago\)/)
  })

  it('shows bars, plot, edits, money and time', () => {
    expect(`\n${frame(sampleLog().view())}\n`).toMatchInlineSnapshot(`
      "
      sample-run  simulated 
      epoch 2/2 · step 2/2 · gate · tasks 4 train, 4 validation, 10 test

      rollout     ██████████████████████████████████         4/4
      reflect     ██████████████████████████████████         1/1
      aggregate   ██████████████████████████████████         1/1
      select      –
      gate        ██████████████████████████████████         4/4

        80  ┤       ╭────────
        67  ┤       │       │
        53  ┤───────│───────│
        40  ┤       │       │
        27  ┤───────╯       │
        13  ┤               │
         0  ┤               ╰
            ── train 50.0%   ── validation 0.0%   ── best 75.0%

      + add “Round to two decimals.”                                 accepted · step 1
      ? add “Round to two decimals.” after “No such line”           unmatched · step 1
      − add “Never answer.”                                          rejected · step 2
      ? add “Never answer.” after “No such line”                    unmatched · step 2

      calls 24 · tokens 2.4k in (960 cached), 480 out · cost none, simulated
      unmatched edits 2
      elapsed 11 s · about 22 s left · Ctrl-C stops safely
      "
    `)
  })

  it('speaks of no tasks and epochs while tasks are mined', () => {
    const log = new LogBuilder().start({ kind: 'mine', run: 'shop' })
    log.add('stage.started', { stage: 'mine', epoch: 0, step: 0, total: 4 })
    log.add('task.mined', { status: 'skipped', cluster: 'a', reason: 'thanks' })
    const shown = frame(log.view())
    expect(shown).toMatch(/^shop.*\nmine\n\nmine +█+░* +1\/4/)
    expect(shown).not.toMatch(/epoch|validation/)
  })

  it('shows the baseline before the first step', () => {
    expect(`\n${frame(sampleLog().view(8))}\n`).toMatchInlineSnapshot(`
      "
      sample-run  simulated 
      baseline · tasks 4 train, 4 validation, 10 test

      baseline    █████████░░░░░░░░░░░░░░░░░░░░░░░░░         1/4

      calls 1 (1 in flight) · tokens 100 in (40 cached), 20 out · cost none, simulated
      elapsed 1 s · Ctrl-C stops safely
      "
    `)
  })

  it('says partly simulated when a paid model has a part, and then what it cost', () => {
    const log = new LogBuilder().start({
      config: { models: { target: { model: 'openai/gpt-5-mini' }, optimizer: 'simulated/optimizer' } },
    })
    log.call('baseline', 0, 0).call('baseline', 0, 0, { cost: undefined, usage: {} })
    const text = frame(log.view())
    expect(text).toContain('partly simulated')
    expect(text).toContain('cost < $0.01 + 1 call of unknown price')
    expect(text).toContain('1 call unknown')
  })

  it('names failures where they happen', () => {
    const log = new LogBuilder().start()
    const place = { stage: 'rollout', epoch: 1, step: 1 } as const
    log.add('step.started', { epoch: 1, step: 1, budget: 4, tasks: ['a', 'b'], skill: seedHash })
    log.add('stage.started', { ...place, total: 2 })
    log.add('call.failed', { ...place, role: 'target', try: 1, kind: 'rate-limit', message: '429' })
    log.add('attempt.failed', {
      ...place,
      skill: seedHash,
      task: 'a',
      sample: 0,
      kind: 'timeout',
      message: 'gone',
    })
    const text = frame(log.view())
    expect(text).toMatch(/rollout .* 1\/2 .*1 failure/)
    expect(text).toContain('retries 1 (rate-limit 1) · failed attempts 1\ntimeout: gone\n')
  })

  const moments = [1, 2, 8, 30, 45, 60, sampleLog().events.length]
  it.each([60, 80, 100, 120, 200])('never passes %i columns, coloured or not', width => {
    for (const moment of moments) {
      for (const colors of [plain, coloured]) {
        for (const line of frame(finish(sampleLog()).view(moment), { width, colors }).split('\n')) {
          expect(widthOf(line)).toBeLessThanOrEqual(width)
        }
      }
    }
  })

  it.each([18, 24, 30, 40])('fits into %i rows and keeps the plot where there is room', height => {
    const text = frame(sampleLog().view(), { height })
    expect(text.split('\n').length).toBeLessThanOrEqual(height)
    expect(text.includes('┤')).toBe(height >= 24)
  })

  it('is not longer for hostile edits', () => {
    const log = sampleLog()
    const view = log.view()
    const steps = view.steps.map(step => ({
      ...step,
      edits: step.edits.map(edit => ({ ...edit, content: `\u001b[2J日本\n${'x'.repeat(500)}` })),
    }))
    for (const line of frame({ ...view, steps }, { width: 80 }).split('\n')) {
      expect(widthOf(line)).toBeLessThanOrEqual(80)
      expect(line).not.toContain('\u001b')
    }
  })
})
