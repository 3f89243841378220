import { scoreOf } from '../../../app/evaluation-details.js'
import { valueAt } from '../../../core/config/paths.js'
import type { EventOf } from '../../../core/log/event.js'
import type { Row } from '../../../core/task/task.js'
import { gateOf } from '../../../core/view/fold-edits.js'
import type { RunView } from '../../../core/view/run-view.js'
import { parseRows } from '../../../trainer/loops/evaluation.js'
import type { GateDetails, GateName } from '../../contract/details.js'
import type { AttemptRow, AttemptTable, LiveRun } from '../runs/types.js'
import { evidenceOf } from './evidence.js'
import { findDecision } from './named.js'

type Decision = EventOf<'gate.decided'>

/** A gate decision with all its evidence. */
export async function gateDetails(run: LiveRun, named: GateName): Promise<GateDetails> {
  const [view, decisions] = await Promise.all([run.view(), run.eventsOf('gate.decided')])
  const { found, index, names } = findDecision(view, decisions, named)
  const { body, at } = found
  const [current, started, attempts] = await Promise.all([
    currentSkill(run, view, found),
    startOf(run, found),
    run.attempts(),
  ])
  const tried = attemptsBefore(found, attempts, [current.skill, body.candidate])
  const made = tried.filter(
    row => row.stage === 'gate' && row.step === body.step && row.seq > (started?.seq ?? found.seq),
  )
  const isOfTrials = body.what === 'checkpoint' || body.what === 'final'
  const [before, after] = await Promise.all([
    // A comparison by trials makes new attempts for both skills, so earlier evaluations are not read.
    isOfTrials ? firstAttempts(made, current.skill) : evaluatedRows(run, current.skill, found.seq),
    body.rows === undefined ? evaluatedRows(run, body.candidate, found.seq) : rowsAt(run, body.rows),
  ])
  const score = scoreOf(view.config)
  // A reward includes the cost of an attempt, which the attempt table does not contain.
  const isReward = valueAt(view.config, ['evaluation', 'metric']) === 'reward'
  const scoreOfRow = async (row: AttemptRow) => (isReward ? rewardAt(run, row.seq) : score(row))
  const again = (skill: string) => repeatsOf(tried, skill, scoreOfRow)
  const order = made.filter(row => row.skill === body.candidate && row.sample === 0).map(({ task }) => task)
  const evidence = evidenceOf(
    {
      current: before,
      candidate: after,
      again: { current: await again(current.skill), candidate: await again(body.candidate) },
      order,
    },
    score,
  )
  const rule = valueAt(view.config, ['evaluation', 'gate'])
  const [previous, next] = [names[index - 1], names[index + 1]]
  return {
    name: names[index] ?? named,
    what: body.what,
    epoch: body.epoch,
    step: body.step,
    gate: gateOf(body),
    rule: typeof rule === 'string' ? rule : '',
    decidedAt: at,
    ...(started === undefined ? {} : { ms: at - started.at }),
    skills: { candidate: body.candidate, current: current.skill, ...current.named },
    attempts: made.length,
    cached: made.filter(({ cached }) => cached).length,
    ...evidence,
    ...(previous === undefined ? {} : { previous }),
    ...(next === undefined ? {} : { next }),
  }
}

/**
 * The skill that the candidate was compared with: the one its step began with, or the latest version before
 * the decision.
 */
async function currentSkill(
  run: LiveRun,
  view: RunView,
  { seq, body }: Decision,
): Promise<{ skill: string; named: { version?: number } }> {
  const versions = await run.eventsOf('skill.version')
  const earlier = versions.filter(version => version.seq < seq)
  if (body.what === 'checkpoint' || body.what === 'final') {
    const decisions = await run.eventsOf('gate.decided')
    // A checkpoint is compared with the last accepted checkpoint; the final test is compared with the seed.
    const passed = decisions.findLast(
      one => one.seq < seq && one.body.what === 'checkpoint' && one.body.action.startsWith('accept'),
    )
    const skill =
      (body.what === 'checkpoint' ? passed?.body.candidate : undefined) ?? earlier[0]?.body.skill ?? ''
    const version = earlier.findLast(one => one.body.skill === skill)?.body.version
    return { skill, named: version === undefined ? {} : { version } }
  }
  const ofStep = body.what === 'step' ? view.steps.find(({ step }) => step === body.step)?.skill : undefined
  const skill = ofStep ?? earlier.at(-1)?.body.skill ?? ''
  const version = earlier.findLast(one => one.body.skill === skill)?.body.version
  return { skill, named: version === undefined ? {} : { version } }
}

/** Finds the event that marks the gate's start on this candidate. */
async function startOf(run: LiveRun, { body }: Decision): Promise<EventOf<'stage.started'> | undefined> {
  const key = `stage.started:${body.what} ${body.step} ${body.candidate}`
  const started = await run.eventsOf('stage.started')
  return started.find(event => event.body.stage === 'gate' && event.key === key)
}

async function evaluatedRows(run: LiveRun, skill: string, before: number): Promise<readonly Row[]> {
  const evaluations = await run.eventsOf('evaluation.finished')
  const own = evaluations.filter(({ body }) => body.split === 'val' && body.skill === skill)
  const found = own.findLast(({ seq }) => seq < before) ?? own[0]
  return found === undefined ? [] : rowsAt(run, found.body.rows)
}

function firstAttempts(made: readonly AttemptRow[], skill: string): readonly Row[] {
  return made
    .filter(row => row.skill === skill && row.sample === 0)
    .map(({ task, type, sample, status, hard, soft }) =>
      status === 'scored' ? { task, type, sample, hard, soft } : { task, type, sample },
    )
}

async function rowsAt(run: LiveRun, ref: string): Promise<readonly Row[]> {
  return parseRows(await run.text(ref)).filter(({ sample }) => sample === 0)
}

/** Validation attempts under the two skills before the decision. */
function attemptsBefore({ seq }: Decision, table: AttemptTable, skills: readonly string[]): AttemptRow[] {
  const rows: AttemptRow[] = []
  for (let index = 0; index < table.length; index += 1) {
    const row = table.row(index)
    if (row.seq >= seq) break
    if ((row.stage === 'gate' || row.stage === 'baseline') && skills.includes(row.skill)) rows.push(row)
  }
  return rows
}

/** Scores of the repeat attempts at each task. */
async function repeatsOf(
  rows: readonly AttemptRow[],
  skill: string,
  scoreOfRow: (row: AttemptRow) => Promise<number | undefined>,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const byTask = new Map<string, number[]>()
  for (const row of rows) {
    if (row.skill !== skill || row.sample === 0 || row.status === 'failed') continue
    const score = await scoreOfRow(row)
    if (score === undefined) continue
    const scores = byTask.get(row.task)
    if (scores === undefined) byTask.set(row.task, [score])
    else scores.push(score)
  }
  return byTask
}

async function rewardAt(run: LiveRun, seq: number): Promise<number | undefined> {
  const event = await run.event(seq)
  return event.type === 'attempt.finished' ? event.body.reward : undefined
}
