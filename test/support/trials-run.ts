import type { EventBody, RecordedEdit } from '../../src/core/log/event.js'
import { bestHash, bestText, LogBuilder, seedHash, seedText } from './sample-run.js'

/** A hand-made training by trials, with one edit for each possible outcome of a trial. */

const about = { support: 1, from: 'failure' as const, why: 'two answers had too many digits' }
const edit = (id: string, content: string, cause: string): RecordedEdit => ({
  op: 'append',
  id,
  content,
  cause,
  tasks: ['t1', 't2'],
  ...about,
})

type Decided = EventBody<'edit.decided'>

const decision = (
  step: number,
  id: string,
  given: Pick<Decided, 'decision' | 'reason'> & Partial<Decided>,
): Decided => ({ epoch: step, step, edit: id, helps: 0.02, trials: 0, tasks: 0, ...given })

export const trialEffects = {
  good: { mean: 0.62, low: 0.35, high: 0.89 },
  none: { mean: -0.03, low: -0.4, high: 0.34 },
  weak: { mean: 0.08, low: -0.12, high: 0.28 },
  harm: { mean: -0.12, low: -0.2, high: -0.04 },
}

type FinalTest = Pick<EventBody<'gate.decided'>, 'action' | 'verdict'>

export const betterInFinal: FinalTest = {
  action: 'accept_new_best',
  verdict: {
    decision: 'accept',
    complete: true,
    reason: 'Better than chance explains: 12 better and 1 worse of 15 tasks.',
    effect: { mean: 0.73, low: 0.45, high: 1 },
    tasks: { better: 12, worse: 1, total: 15 },
  },
}

/** Two rounds, up to the final test, which is omitted for `none`. */
export function trialsLog(final: FinalTest | 'none' = betterInFinal): LogBuilder {
  const log = new LogBuilder().start({ stepsPerEpoch: 1 })
  const rounding = edit('s1.f0.0', 'Round to two decimals.', 'digits')
  const edits = [
    { ...rounding, slot: 'digits', concerned: 3 },
    { ...edit('s1.f0.1', 'Write all digits.', 'digits'), slot: 'digits', concerned: 3 },
    { ...edit('s1.f0.2', 'Be brief.', 'length'), slot: 'length', concerned: 2 },
    { ...edit('s1.f0.3', 'Never answer.', 'answers'), slot: 'answers', concerned: 2 },
    { ...edit('s1.f0.4', 'Name the unit.', 'units'), slot: 'units', concerned: 1 },
    { ...edit('s1.f0.5', 'Use commas.', 'commas'), slot: 'commas', concerned: 2 },
  ]
  const seed = stored(log, seedText, [{ length: seedText.length, origin: 'seed' }])
  const best = stored(log, bestText, [
    { length: seedText.length, origin: 'seed' },
    { length: bestText.length - seedText.length, origin: rounding.id },
  ])
  const rows = log.put('')
  log.add('skill.version', { version: 0, skill: seedHash, ...seed, because: 'the seed skill' })
  for (const step of [1, 2]) {
    const place = { epoch: step, step }
    log.add('step.started', { ...place, budget: 4, tasks: ['t1', 't2', 't3', 't4'], skill: seedHash })
    log.add('stage.started', { stage: 'rollout', ...place, total: 4 })
    log.add('trials.designed', {
      ...place,
      variants: [
        { skill: seedHash, text: seed.text, edits: [], attempts: 1 },
        { skill: bestHash, text: best.text, edits: [rounding.id], attempts: 3 },
      ],
    })
    if (step === 2) log.add('trials.admitted', { ...place, edits, known: 2, full: 1, unusable: 0 })
    for (const task of ['t1', 't2', 't3', 't4'])
      log.call('rollout', step, step).attempt('rollout', step, step, task, step - 1, bestHash)
    if (step === 1) log.add('step.finished', { ...place, outcome: 'no-edits', skill: seedHash })
  }
  const evidence = { trials: 9, tasks: 5 }
  const decide = (id: string, given: Parameters<typeof decision>[2]) =>
    log.add('edit.decided', decision(2, id, given))
  decide('s1.f0.0', {
    decision: 'accepted',
    reason: 'Helps.',
    helps: 0.98,
    effect: trialEffects.good,
    elsewhere: trialEffects.weak,
    ...evidence,
  })
  decide('s1.f0.1', {
    decision: 'dropped',
    reason: 'Probably does not help.',
    effect: trialEffects.none,
    trials: 4,
    tasks: 2,
  })
  decide('s1.f0.2', {
    decision: 'accepted',
    reason: 'Helps.',
    helps: 0.91,
    effect: trialEffects.good,
    ...evidence,
  })
  decide('s1.f0.3', {
    decision: 'accepted',
    reason: 'Helps.',
    helps: 0.92,
    effect: trialEffects.good,
    ...evidence,
  })
  decide('s1.f0.5', { decision: 'dropped', reason: 'Another remedy for the same cause was accepted.' })
  log.add('skill.version', { version: 2, skill: bestHash, ...best, because: 'round 2: 3 accepted' })
  log.add('gate.decided', {
    epoch: 2,
    step: 2,
    what: 'checkpoint',
    candidate: bestHash,
    current: 0.5,
    score: 0.25,
    best: 0,
    rows,
    action: 'reject',
    verdict: {
      decision: 'reject',
      complete: true,
      reason: 'Probably worse: 0 better and 1 worse of 4 tasks.',
    },
  })
  decide('s1.f0.3', {
    decision: 'taken-back',
    reason: 'Later trials speak against it.',
    helps: 0.3,
    effect: trialEffects.none,
    ...evidence,
    elsewhere: trialEffects.harm,
  })
  log.add('step.finished', { epoch: 2, step: 2, outcome: 'accepted', skill: bestHash })
  decide('s1.f0.0', {
    decision: 'kept',
    reason: 'Helps.',
    helps: 0.98,
    effect: trialEffects.good,
    ...evidence,
  })
  decide('s1.f0.2', {
    decision: 'pruned',
    reason: 'Cannot tell whether it helps.',
    helps: 0.7,
    effect: trialEffects.weak,
    ...evidence,
  })
  decide('s1.f0.4', {
    decision: 'undecided',
    reason: 'Undecided when training ended.',
    helps: 0.5,
    effect: trialEffects.weak,
    trials: 2,
    tasks: 1,
  })
  const place = { epoch: 2, step: 2, candidate: bestHash, current: 0.2, score: 0.93, best: 0, rows }
  if (final !== 'none') log.add('gate.decided', { ...place, what: 'final', ...final })
  const ships = final !== 'none' && final.action.startsWith('accept')
  log.add('best.changed', {
    ...(ships ? { version: 2, skill: bestHash, ...best } : { version: 0, skill: seedHash, ...seed }),
    score: ships ? 0.93 : 0.2,
  })
  return log
}

/** The test split under the seed and the best skill: only the best one solves `better` of ten tasks. */
export function testTrials(log: LogBuilder, better = 8): LogBuilder {
  const rowsOf = (solved: number) =>
    Array.from({ length: 10 }, (_, index) => {
      const hard = index < solved ? 1 : 0
      return JSON.stringify({ task: `x${index}`, type: 'sum', sample: 0, hard, soft: hard })
    }).join('\n')
  for (const [which, skill, solved] of [
    ['initial', seedHash, 0],
    ['best', bestHash, better],
  ] as const) {
    const score = solved / 10
    const summary = { hard: score, soft: score, scored: 10, failed: 0 }
    const interval = { mean: score, low: Math.max(0, score - 0.2), high: Math.min(1, score + 0.2) }
    log.add('evaluation.finished', {
      stage: 'test',
      epoch: 0,
      step: 0,
      skill,
      split: 'test',
      ...summary,
      score,
      rows: log.put(rowsOf(solved)),
    })
    const types = [{ type: 'sum', ...summary, interval }]
    log.add('test.finished', { which, skill, ...summary, score, interval, types })
  }
  return log.add('run.finished', { best: 2, last: 2, score: 0.93, because: 'all epochs' })
}

function stored(log: LogBuilder, text: string, origins: readonly { length: number; origin: string }[]) {
  return { text: log.put(text), origins: log.put(JSON.stringify(origins)) }
}
