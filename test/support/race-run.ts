import type { EventBody, RecordedEdit } from '../../src/core/event.js'
import { LogBuilder, seedHash } from './sample-run.js'

export const hashes = [1, 2, 3, 4].map(number => String(number).repeat(16))

/**
 * A step with four candidates of one edit each: the first is screened out, the second rejected, the third accepted, the
 * fourth not tried.
 */
export function raceLog(): LogBuilder {
  const at = { epoch: 1, step: 1 }
  const edits = hashes.map(
    (_, index): RecordedEdit => ({
      ...{ op: 'append', id: `e${index + 1}`, content: `Rule ${index + 1}.`, why: 'digits' },
      ...{ support: 1, from: 'failure', tasks: ['t1'] },
    }),
  )
  const [first, ...others] = edits
  const log = new LogBuilder().start()
  log.add('step.started', { ...at, budget: 1, tasks: ['t1', 't2'], skill: seedHash })
  log.add('aggregate.finished', { ...at, edits, failed: 0 })
  log.add('select.finished', {
    ...{ ...at, budget: 1, edits: first === undefined ? [] : [first], failed: 0 },
    dropped: others.map(({ id }) => id),
  })
  hashes.forEach((skill, index) => {
    const id = `e${index + 1}`
    log.add('update.finished', {
      ...(index === 0 ? at : { ...at, candidate: index + 1, from: [id] }),
      ...{ skill, text: log.put(`# ${index + 1}\n`) },
      reports: [{ edit: id, status: 'applied', reason: 'appended' }],
    })
  })
  for (const candidate of hashes) {
    const [gained, lost] = candidate === hashes[0] ? [0, 6] : [2, 1]
    log.add('screen.finished', {
      ...{ ...at, candidate, gained, lost, verdict: lost === 6 ? 'killed' : 'passed' },
      reason: lost === 6 ? 'It does harm.' : 'Not a clear loser.',
      tried: [{ split: 'train', task: 't1', before: 0, restsOn: true, after: 1 }],
    })
  }
  gate(log, 1, 'reject')
  gate(log, 2, 'accept_new_best')
  return log.add('step.finished', {
    ...{ ...at, outcome: 'accepted', skill: hashes[2] ?? '', untried: [hashes[3] ?? ''] },
  })
}

function gate(log: LogBuilder, index: number, action: EventBody<'gate.decided'>['action']): void {
  const [score, complete] = action === 'reject' ? [0.4, true] : [0.8, false]
  const [at, candidate] = [{ epoch: 1, step: 1 }, hashes[index] ?? '']
  if (complete) {
    log.add('evaluation.finished', {
      ...{ stage: 'gate', ...at, skill: candidate, split: 'val', rows: log.put('') },
      ...{ hard: score, soft: score, scored: 4, failed: 0, score },
    })
  }
  const decision = action === 'reject' ? 'reject' : 'accept'
  log.add('gate.decided', {
    ...{ ...at, what: 'step', candidate, current: 0.5, score, best: 0.5, action },
    verdict: { decision, complete, reason: action === 'reject' ? 'lower' : 'higher' },
  })
}
