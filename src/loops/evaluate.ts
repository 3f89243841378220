import type { EventBody, Place } from '../core/event.js'
import type { Run } from '../core/ports.js'
import { skillHash } from '../core/skill.js'
import { scoreInterval } from '../core/statistics.js'
import type { Row, Split, Task } from '../core/task.js'
import { evaluate, summarize } from '../stages/rollout.js'
import { rowsText } from '../stages/validate.js'
import type { Setup } from './setup.js'

export interface EvaluationNeeds {
  readonly run: Run
  readonly setup: Pick<Setup, 'tasks'>
  /** The one number that skills are compared by. */
  readonly score: (summary: { readonly hard: number; readonly soft: number }) => number
  readonly lanes: number
}

/** Scores a skill on a whole split, once per run: asked again, it is read from the log. */
export function evaluateOnce(
  { run, score, lanes }: EvaluationNeeds,
  skill: string,
  split: Split,
  tasks: readonly Task[],
  place: Place,
): Promise<EventBody<'evaluation.finished'>> {
  const hash = skillHash(skill)
  return run.once('evaluation.finished', `${split} ${hash}`, async () => {
    await run.emit('stage.started', { ...place, total: tasks.length }, `${place.stage} ${split} ${hash}`)
    const { rows, ...rest } = await evaluate(run, skill, split, tasks, lanes, place)
    return { ...place, ...rest, score: score(rest), rows: run.put(rowsText(rows)) }
  })
}

export type Tested = EventBody<'test.finished'>['which']

/** Scores a skill on the test split, with intervals, in all and per task type. */
export function testSkill(
  needs: EvaluationNeeds,
  which: Tested,
  skill: string,
): Promise<EventBody<'test.finished'>> {
  const { run, setup, score } = needs
  // A comparison goes on with another trained skill; the others are one each per run.
  const key = which === 'trained' ? `trained ${skillHash(skill)}` : which
  return run.once('test.finished', key, async () => {
    const place = { stage: 'test', epoch: 0, step: 0 } as const
    const evaluation = await evaluateOnce(needs, skill, 'test', setup.tasks.test, place)
    const rows = parseRows(await run.get(evaluation.rows))
    return { which, skill: evaluation.skill, ...scoresByType(rows, score) }
  })
}

/** Means with intervals, in all and per task type. */
export function scoresByType(rows: readonly Row[], score: EvaluationNeeds['score']) {
  const types = [...new Set(rows.map(row => row.type))].sort()
  const rowsOf = (type: string) => rows.filter(row => row.type === type)
  return {
    ...scoresOf(rows, score),
    types: types.map(type => ({ type, ...scoresOf(rowsOf(type), score) })),
  }
}

function scoresOf(rows: readonly Row[], score: EvaluationNeeds['score']) {
  const summary = rows.some(row => row.hard !== undefined)
    ? summarize(rows)
    : { hard: 0, soft: 0, scored: 0, failed: rows.length }
  const values = rows.flatMap(({ hard, soft }) =>
    hard === undefined ? [] : [score({ hard, soft: soft ?? hard })],
  )
  return { ...summary, score: score(summary), interval: scoreInterval(values) }
}

export function parseRows(text: string): Row[] {
  return text === '' ? [] : text.split('\n').map(line => JSON.parse(line) as Row)
}
