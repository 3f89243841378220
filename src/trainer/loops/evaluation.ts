import { comparePaired, meanRows } from '../../core/comparison/skill-comparison.js'
import type { EventBody, Place } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { skillHash } from '../../core/skill/skill.js'
import { scoreInterval } from '../../core/statistics/intervals.js'
import { scoreOfAttempt } from '../../core/task/metric.js'
import type { Row, Scores, Split, Task } from '../../core/task/task.js'
import { evaluate, summarize } from '../stages/rollout.js'
import { serializeRows } from '../stages/validate.js'
import type { Setup } from './setup.js'

export interface EvaluationContext {
  readonly run: Run
  readonly setup: Pick<Setup, 'tasks'>
  /** The metric that skills are compared by. */
  readonly score: (summary: Scores) => number
  readonly concurrency: number
}

interface EvaluateOnceOptions {
  readonly skill: string
  readonly split: Split
  readonly place: Place
  /** Defaults to all tasks of the split. */
  readonly tasks?: readonly Task[]
}

/** Scores a skill on a whole split, once per run. A repeated call reads the result from the log. */
export function evaluateOnce(
  { run, setup, score, concurrency }: EvaluationContext,
  { skill, split, place, tasks = setup.tasks[split] }: EvaluateOnceOptions,
): Promise<EventBody<'evaluation.finished'>> {
  const hash = skillHash(skill)
  return run.once('evaluation.finished', `${split} ${hash}`, async () => {
    await run.emit('stage.started', { ...place, total: tasks.length }, `${place.stage} ${split} ${hash}`)
    const { rows, ...rest } = await evaluate(run, { skill, split, tasks, concurrency, place })
    return { ...place, ...rest, score: score(rest), rows: run.put(serializeRows(rows)) }
  })
}

/** A measurement: a skill, a split, and the number of attempts per task. */
export interface Measurement {
  readonly skill: string
  readonly split: Split
  readonly samples: number
}

/**
 * All attempts of a measurement. If all of them have a score, a repeated call reads them from the log;
 * attempts that failed for external reasons are retried once.
 */
export async function measureRows(
  needs: EvaluationContext,
  { skill, split, samples }: Measurement,
): Promise<readonly Row[]> {
  const { run, score, concurrency } = needs
  const place = { stage: 'test', epoch: 0, step: 0 } as const
  const tasks = needs.setup.tasks[split]
  const hash = skillHash(skill)
  const measured = samples === 1 ? `${split} ${hash}` : `${split} ${hash} ${samples} samples`
  const measure = async () => {
    for (let sample = 0; sample < samples; sample += 1) {
      const key = sample === 0 ? `test ${split} ${hash}` : `test ${split} ${hash} ${sample}`
      await run.emit('stage.started', { ...place, total: tasks.length }, key)
    }
    const { rows } = await evaluate(run, { skill, split, tasks, concurrency, place, samples })
    const means = summarize(meanRows(rows))
    const body = {
      ...place,
      skill: hash,
      split,
      ...means,
      score: score(means),
      rows: run.put(serializeRows(rows)),
    }
    return { rows, body }
  }
  let fresh: readonly Row[] | undefined
  const recorded = await run.once('evaluation.finished', measured, async () => {
    const { rows, body } = await measure()
    fresh = rows
    return body
  })
  const rows = fresh ?? parseRows(await run.get(recorded.rows))
  if (fresh !== undefined || rows.every(row => row.hard !== undefined)) return rows
  const again = await measure()
  await run.emit('evaluation.finished', again.body, `${measured} ${again.body.rows}`)
  return again.rows
}

export type TestedSkill = EventBody<'test.finished'>['which']

/** Scores a skill on the test split, with confidence intervals, overall and per task type. */
export function testSkill(
  needs: EvaluationContext,
  which: TestedSkill,
  skill: string,
): Promise<EventBody<'test.finished'>> {
  const { run, score } = needs
  // A resumed comparison may have another trained skill, so its key has the hash. There is only one of each
  // of the other skills per run.
  const key = which === 'trained' ? `trained ${skillHash(skill)}` : which
  return run.once('test.finished', key, async () => {
    const place = { stage: 'test', epoch: 0, step: 0 } as const
    const evaluation = await evaluateOnce(needs, { skill, split: 'test', place })
    const rows = parseRows(await run.get(evaluation.rows))
    return { which, skill: evaluation.skill, ...scoresByType(rows, score) }
  })
}

/**
 * Tests skills at the end of a training, and compares the shipped skill with the seed task by task. The
 * result is logged, so the verdict of the run needs nothing else.
 */
export async function testAtEnd(
  needs: EvaluationContext,
  which: readonly ('none' | 'initial' | 'best' | 'last')[],
  texts: Readonly<Record<'none' | 'initial' | 'best' | 'last', string>>,
): Promise<void> {
  await Promise.all(which.map(one => testSkill(needs, one, texts[one])))
  if (!which.includes('initial') || !which.includes('best') || texts.initial === texts.best) return
  const { run, score } = needs
  await run.once('comparison.finished', 'best against initial', async () => {
    const place = { stage: 'test', epoch: 0, step: 0 } as const
    const rowsOf = async (skill: string) => {
      const { rows } = await evaluateOnce(needs, { skill, split: 'test', place })
      return parseRows(await run.get(rows))
    }
    const compared = comparePaired(await rowsOf(texts.best), await rowsOf(texts.initial), { score })
    return { pairs: [{ which: 'best', against: 'initial', ...compared }] }
  })
}

/**
 * Means with confidence intervals, overall and per task type. Several attempts at a task are averaged into
 * one observation.
 */
export function scoresByType(attempts: readonly Row[], score: EvaluationContext['score']) {
  const rows = meanRows(attempts)
  const types = [...new Set(rows.map(row => row.type))].sort()
  const rowsOf = (type: string) => rows.filter(row => row.type === type)
  return {
    ...scoresOf(rows, score),
    types: types.map(type => ({ type, ...scoresOf(rowsOf(type), score) })),
  }
}

function scoresOf(rows: readonly Row[], score: EvaluationContext['score']) {
  const values = rows.flatMap(row => scoreOfAttempt(row, score) ?? [])
  const interval = scoreInterval(values)
  if (values.length === 0) return { hard: 0, soft: 0, scored: 0, failed: rows.length, score: 0, interval }
  const summary = summarize(rows)
  return { ...summary, score: score(summary), interval }
}

export function parseRows(text: string): Row[] {
  return text === '' ? [] : text.split('\n').map(line => JSON.parse(line) as Row)
}
