import { describe, expect, it } from 'vitest'
import { LogBuilder, seedHash } from '../../../test/support/sample-run.js'
import type { RecordedEdit } from '../log/event.js'

const at = { epoch: 1, step: 1 }
const about = { why: 'digits', support: 2, from: 'failure' as const, tasks: ['a'] }
const append: RecordedEdit = { op: 'append', id: '1.0', content: 'Round.', ...about }
const replace: RecordedEdit = { op: 'replace', id: '1.1', target: 'old', content: 'new', ...about }
const remove: RecordedEdit = { op: 'delete', id: '1.2', target: 'gone', ...about }
const suggest: RecordedEdit = { op: 'suggest', id: '1.3', title: 'Units', content: 'Name them.', ...about }
const remind: RecordedEdit = { op: 'remind', id: '1.4', content: 'Check.', ...about }
const rewrite: RecordedEdit = { op: 'rewrite', id: 's1', content: '# New', summary: 'shorter', ...about }

const beginning = () =>
  new LogBuilder().start().add('step.started', { ...at, budget: 2, tasks: ['a'], skill: seedHash })

const editsOf = (log: LogBuilder) => log.view().steps[0]?.edits ?? []
const fates = (log: LogBuilder) => editsOf(log).map(({ id, fate }) => [id, fate])

describe('edits of a step', () => {
  it('are shown with the texts that their operation has', () => {
    const log = beginning().add('aggregate.finished', {
      ...at,
      edits: [append, replace, remove, suggest],
      reminders: [remind],
      failed: 0,
    })
    expect(editsOf(log).map(({ op, title, target, content }) => [op, title, target, content])).toEqual([
      ['append', undefined, undefined, 'Round.'],
      ['replace', undefined, 'old', 'new'],
      ['delete', undefined, 'gone', undefined],
      ['suggest', 'Units', undefined, 'Name them.'],
      ['remind', undefined, undefined, 'Check.'],
    ])
    expect(editsOf(log)[0]).toMatchObject({ why: 'digits', support: 2, from: 'failure', tasks: ['a'] })
    expect(fates(log).map(([, fate]) => fate)).toEqual(['merged', 'merged', 'merged', 'merged', 'selected'])
  })

  it('keep the first few of their tasks and the number of all', () => {
    const tasks = Array.from({ length: 40 }, (_, index) => `task-${index}`)
    const log = beginning().add('aggregate.finished', { ...at, edits: [{ ...append, tasks }], failed: 0 })
    expect(editsOf(log)).toMatchObject([{ tasks: tasks.slice(0, 12), taskCount: 40 }])
  })

  it('that were selected come first, in their order; others are dropped, but no reminder', () => {
    const log = beginning()
      .add('aggregate.finished', { ...at, edits: [append, replace, remove], reminders: [remind], failed: 0 })
      .add('select.finished', { ...at, budget: 2, edits: [remove, append], dropped: ['1.1'], failed: 0 })
    expect(fates(log)).toEqual([
      ['1.2', 'selected'],
      ['1.0', 'selected'],
      ['1.1', 'dropped'],
      ['1.4', 'selected'],
    ])
  })

  it('have a rewrite before them where suggestions became one, with what it changed', () => {
    const log = beginning().add('aggregate.finished', { ...at, edits: [suggest], failed: 0 })
    expect(fates(log.add('rewrite.finished', { ...at, failed: 1 }))).toEqual([['1.3', 'merged']])
    log.add('rewrite.finished', { ...at, edit: rewrite, failed: 0 })
    expect(editsOf(log)).toMatchObject([{ id: 's1', title: 'shorter', fate: 'selected' }, { id: '1.3' }])
  })

  it('end as the update reports them, with the reason and how they were found', () => {
    const log = beginning()
      .add('aggregate.finished', { ...at, edits: [append, replace, remove], failed: 0 })
      .add('update.finished', {
        ...at,
        skill: seedHash,
        text: 'text',
        reports: [
          { edit: '1.0', status: 'applied', match: 'tolerant', reason: 'found once' },
          { edit: '1.1', status: 'refused', reason: 'protected' },
        ],
      })
    expect(editsOf(log)).toMatchObject([
      { fate: 'applied', match: 'tolerant', reason: 'found once' },
      { fate: 'refused', match: undefined, reason: 'protected' },
      { fate: 'merged', match: undefined, reason: undefined },
    ])
    expect(log.view()).toMatchObject({ unmatchedEdits: 0 })
    expect(log.view().steps[0]?.candidate).toEqual({ skill: seedHash, text: 'text' })
  })

  it('count the optimizer replies that could not be used on the way, and by whom they were proposed', () => {
    const proposing = (from: 'failure' | 'success', edits: RecordedEdit[]) => ({
      from,
      tasks: ['a'],
      reasoning: '',
      patterns: [],
      edits,
    })
    const log = beginning()
      .add('reflect.finished', { ...at, patches: [proposing('failure', [append, replace])], failed: 1 })
      .add('reflect.finished', { ...at, patches: [proposing('success', [remove])], failed: 2 })
      .add('aggregate.finished', { ...at, edits: [append], failed: 4 })
      .add('rate.decided', { ...at, budget: 1, scheduled: 2, of: 3, reasoning: '', failed: 8 })
      .add('select.finished', { ...at, budget: 1, edits: [append], dropped: [], failed: 16 })
      .add('rewrite.finished', { ...at, failed: 32 })
      .add('appendix.consolidated', { ...at, before: 3, reasoning: '', failed: 64 })
    expect(log.view().steps).toMatchObject([
      { optimizerFailures: 127, budget: 1, proposed: { patches: 2, failure: 2, success: 1 } },
    ])
  })
})

describe('verdicts', () => {
  const decided = {
    ...at,
    candidate: 'c',
    current: 0.5,
    score: 0.6,
    best: 0.5,
    action: 'accept' as const,
  }
  const effect = { mean: 0.1, low: -0.1, high: 0.3 }

  it('of a step stand with the step, and the effect only where it was measured', () => {
    const plain = { decision: 'accept' as const, complete: true, reason: 'rose' }
    const gate = (log: LogBuilder) => log.view().steps[0]?.gate
    const log = beginning().add('gate.decided', { ...decided, what: 'step', verdict: plain })
    expect(gate(log)).toEqual({
      candidate: 'c',
      current: 0.5,
      score: 0.6,
      best: 0.5,
      action: 'accept',
      verdict: plain,
    })
    expect(gate(log)?.verdict.effect).toBeUndefined()
    log.add('gate.decided', { ...decided, what: 'step', verdict: { ...plain, effect } })
    expect(gate(log)?.verdict).toEqual({ ...plain, effect })
    expect(log.view().series.validation).toEqual([{ step: 1, value: 0.6 }])
  })

  it('of a slow update stand with the epoch, and of the last skill with the run', () => {
    const verdict = { decision: 'reject' as const, complete: true, reason: 'fell' }
    const log = beginning()
      .add('gate.decided', { ...decided, what: 'slow-update', action: 'reject', verdict })
      .add('gate.decided', { ...decided, what: 'last', action: 'accept', verdict })
    const view = log.view()
    expect(view.epochEnds).toMatchObject([{ epoch: 1, slowUpdateGate: { action: 'reject' } }])
    expect(view.lastVerdict).toMatchObject({ action: 'accept' })
    expect(view.steps[0]?.gate).toBeUndefined()
    expect(view.series.validation).toEqual([])
  })

  it('that were withheld leave no point in the curve', () => {
    const verdict = { decision: 'abstain' as const, complete: true, reason: 'uneven' }
    const log = beginning().add('gate.decided', { ...decided, what: 'step', action: 'abstain', verdict })
    expect(log.view().steps[0]?.gate).toMatchObject({ action: 'abstain' })
    expect(log.view().series.validation).toEqual([])
  })
})
