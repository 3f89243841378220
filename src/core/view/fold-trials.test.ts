import { describe, expect, it } from 'vitest'
import { sampleLog, seedHash } from '../../../test/support/sample-run.js'
import { testTrials, trialEffects, trialsLog } from '../../../test/support/trials-run.js'
import { parseEvent } from '../log/event.js'

describe('the view of a training by trials', () => {
  const log = testTrials(trialsLog())
  const view = log.view()

  it('is folded from events that the log may hold', () => {
    for (const event of log.events) expect(() => parseEvent(event)).not.toThrow()
    expect(view.loop).toBe('trials')
    expect(sampleLog().view().loop).toBe('steps')
  })

  it('has every edit of the pool with its latest decision', () => {
    expect(view.trialEdits.map(({ id, fate, reason }) => [id, fate, reason])).toEqual([
      ['s1.f0.0', 'kept', 'Helps.'],
      ['s1.f0.1', 'dropped', 'Probably does not help.'],
      ['s1.f0.2', 'pruned', 'Cannot tell whether it helps.'],
      ['s1.f0.3', 'taken-back', 'Later trials speak against it.'],
      ['s1.f0.4', 'undecided', 'Undecided when training ended.'],
      ['s1.f0.5', 'dropped', 'Another remedy for the same cause was accepted.'],
    ])
    expect(view.trialEdits[0]).toMatchObject({
      content: 'Round to two decimals.',
      tasks: ['t1', 't2'],
      trial: {
        cause: 'digits',
        concerned: 3,
        admitted: 2,
        decided: 2,
        evidence: { effect: trialEffects.good, helps: 0.98, trials: 9, tasks: 5 },
      },
    })
    expect(view.trialEdits[4]?.trial).toMatchObject({ evidence: { helps: 0.5, trials: 2, tasks: 1 } })
  })

  it('has rounds with their variants, the edits that joined and those that were decided on', () => {
    expect(view.steps[0]).toMatchObject({ edits: [], round: { variants: 2, attempts: 4, admitted: [] } })
    expect(view.steps[1]?.round).toMatchObject({ known: 2, full: 1 })
    expect(view.steps[1]?.round?.admitted).toHaveLength(6)
    expect(view.steps[1]?.edits.map(({ id, fate }) => [id, fate])).toEqual([
      ['s1.f0.1', 'dropped'],
      ['s1.f0.5', 'dropped'],
      ['s1.f0.3', 'taken-back'],
      ['s1.f0.0', 'kept'],
      ['s1.f0.2', 'pruned'],
    ])
  })

  it('keeps checkpoints apart from the final test', () => {
    expect(view.checkpoints).toMatchObject([{ epoch: 2, step: 2, action: 'reject', score: 0.25 }])
    expect(view.steps[1]?.gate).toMatchObject({ action: 'reject' })
    expect(view.finalTest?.verdict.tasks).toEqual({ better: 12, worse: 1, total: 15 })
    expect(trialsLog('none').view().finalTest).toBeUndefined()
  })

  it('names the rows of the test split by skill', () => {
    expect(Object.keys(view.testRows)).toEqual([seedHash, expect.any(String)])
  })

  it('shows the attempts of a round until they are done, although the next has begun', () => {
    const at = { stage: 'rollout' as const, epoch: 1, step: 1 }
    const started = trialsLog('none')
    const begun = started.events.findIndex(({ type }) => type === 'trials.designed') + 1
    started.events.splice(begun)
    const next = { epoch: 1, step: 2, tasks: [], skill: seedHash }
    expect(started.add('step.started', next).view().stages).toMatchObject([at])
  })

  it('keeps the round in which an edit was accepted when the last check confirms it', () => {
    const verdict = { edit: 's1.f0.4', helps: 0.9, trials: 3, tasks: 2, reason: 'Helps.' }
    const later = trialsLog()
      .add('edit.decided', { ...verdict, epoch: 1, step: 1, decision: 'accepted' })
      .add('edit.decided', { ...verdict, epoch: 2, step: 2, trials: 5, decision: 'kept' })
      .view()
    const confirmed = later.trialEdits.find(({ id }) => id === verdict.edit)
    expect(confirmed).toMatchObject({ fate: 'kept', trial: { decided: 1, evidence: { trials: 5 } } })
    expect(later.steps.map(({ edits }) => edits.some(({ id }) => id === verdict.edit))).toEqual([true, false])
  })

  it('leaves out a decision on an edit that never joined', () => {
    const stray = { epoch: 2, step: 2, edit: 'x', helps: 0, trials: 0, tasks: 0, reason: '' }
    const before = trialsLog()
    const count = before.view().trialEdits.length
    expect(before.add('edit.decided', { ...stray, decision: 'dropped' }).view().trialEdits).toHaveLength(
      count,
    )
  })
})
