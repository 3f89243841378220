import type { EventBody, Place } from '../../core/log/event.js'
import { wilsonInterval } from '../../core/statistics/intervals.js'
import { metricScore } from '../../core/task/metric.js'
import type { Row } from '../../core/task/task.js'
import { scoresByType } from '../../trainer/loops/evaluation.js'
import { summarize } from '../../trainer/stages/rollout.js'
import { event, type ImportContext, type NewEvent } from './importing.js'
import { conversationSchema, type ResultRecord, resultSchema, splitSummarySchema } from './records.js'

/** The result rows in a rollout's folder; undefined if there are none. */
export async function resultsIn(
  { folder }: ImportContext,
  name: string,
): Promise<readonly ResultRecord[] | undefined> {
  const results = await folder.lines(`${name}/results.jsonl`, resultSchema)
  return results === undefined || results.length === 0 ? undefined : results
}

export interface Rollout {
  /** Folder of the rollout, relative to the run's folder. */
  readonly name: string
  readonly results: readonly ResultRecord[]
  readonly skill: string
  readonly place: Place
}

/** The attempts of a rollout, with their conversations if these were recorded. */
export async function* attemptsOf(
  { folder, put }: ImportContext,
  { name, results, skill, place }: Rollout,
): AsyncGenerator<NewEvent> {
  for (const { id, hard, soft, task_type, fail_reason } of results) {
    // Task ids come from a file, so an id becomes part of a path only if it is a plain name.
    const said = /^\.*$|[/\\]/.test(id)
      ? []
      : await folder.json(`${name}/predictions/${id}/conversation.json`, conversationSchema.catch([]))
    const messages = (said ?? []).map(({ role, content }) => ({ role, blob: put(content) }))
    yield event('attempt.finished', {
      ...place,
      skill,
      task: id,
      type: task_type ?? '',
      sample: 0,
      messages,
      outcome: {
        status: 'scored',
        score: { hard, soft: soft ?? hard, feedback: fail_reason ?? '' },
        stop: 'unknown',
      },
    })
  }
}

const rowOf = ({ id, hard, soft, task_type }: ResultRecord): Row => ({
  task: id,
  type: task_type ?? '',
  sample: 0,
  hard,
  soft: soft ?? hard,
})

/** Events of a full evaluation on validation: its attempts and their mean score. */
export async function* evaluationOf(importing: ImportContext, rollout: Rollout): AsyncGenerator<NewEvent> {
  const { results, skill, place } = rollout
  yield* attemptsOf(importing, rollout)
  const rows = results.map(rowOf)
  const means = summarize(rows)
  yield event('evaluation.finished', {
    ...place,
    skill,
    split: 'val',
    ...means,
    score: importing.score(means),
    rows: importing.put(rows.map(row => JSON.stringify(row)).join('\n')),
  })
}

export interface Tested {
  readonly which: EventBody<'test.finished'>['which']
  readonly name: string
  readonly skill: string
  /** Mean scores from the run's summary, used if the result rows are missing. */
  readonly hard: number | undefined
  readonly soft: number | undefined
}

/** Events of a test, from its result rows. Without rows, from its means and number of tasks. */
export async function* testOf(importing: ImportContext, tested: Tested): AsyncGenerator<NewEvent> {
  const { which, name, skill, hard, soft } = tested
  const place = { stage: 'test', epoch: 0, step: 0 } as const
  const results = await resultsIn(importing, name)
  if (results !== undefined) {
    yield* attemptsOf(importing, { name, results, skill, place })
    yield event('test.finished', { which, skill, ...scoresByType(results.map(rowOf), importing.score) })
    return
  }
  if (hard === undefined || soft === undefined) return
  const summary = await importing.folder.json(`${name}/summary.json`, splitSummarySchema)
  const scored = summary?.overall?.total
  if (scored === undefined) {
    importing.note(
      `The test of the ${which} skill is left out: ${name} has neither its results nor their count.`,
    )
    return
  }
  const { overall, ...types } = summary ?? {}
  const score = importing.score({ hard, soft })
  yield event('test.finished', {
    which,
    skill,
    hard,
    soft,
    scored,
    failed: 0,
    score,
    interval: wilsonInterval(score, scored),
    types: importing.metric === 'hard' ? Object.entries(types).map(typeOf) : [],
  })
}

function typeOf([type, { total, hard_acc }]: [string, { total: number; hard_acc: number }]) {
  return { type, hard: hard_acc, scored: total, failed: 0, interval: wilsonInterval(hard_acc, total) }
}

/** The metric that combines hard and soft scores, from the reference's config. */
export function metricOf(config: Readonly<Record<string, unknown>>) {
  const word = config.gate_metric
  const metric = word === 'soft' || word === 'mixed' ? word : 'hard'
  const weight = typeof config.gate_mixed_weight === 'number' ? config.gate_mixed_weight : 0.5
  const score = (means: { hard: number; soft: number }) => metricScore(means, metric, weight)
  return { metric, score } as const
}
