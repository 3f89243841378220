import type { EventBody, Place, RecordedEdit } from '../core/event.js'
import type { Floors } from '../core/floors.js'
import { plural, points } from '../core/format.js'
import type { Interval, Run } from '../core/ports.js'
import { skillHash } from '../core/skill.js'
import type { Row, Scores, Task } from '../core/task.js'
import { inLanes } from './concurrency.js'
import {
  type AttributionPlan,
  type Changed,
  cameAgain,
  changedTasks,
  lossOf,
  objectionTo,
  planAttribution,
} from './contribution.js'
import { type Finding, firstGroups, idsIn, leaveOutInTurn, type Trial } from './edit-search.js'
import { type Composition, leaveOut, type Unit, unitsOf } from './edit-units.js'
import { rowOf } from './rollout.js'

type Attribution = EventBody<'attribution.finished'>

export interface Accepted extends Composition {
  /** On validation, as far as the gate has run them. */
  readonly rows: { readonly parent: readonly Row[]; readonly candidate: readonly Row[] }
}

export interface AttributeOptions {
  /** Attempts that may be spent. */
  readonly most: number
  readonly tasks: readonly Task[]
  readonly score: (summary: Scores) => number
  readonly lanes: number
  /** Whether no task may break that the parent and the candidate solve. */
  readonly noRegression: boolean
  readonly floors: Floors
  /** Of a text on the whole validation split: what the run has of it is not paid again. */
  evaluate(skill: string): Promise<{ readonly rows: readonly Row[]; readonly score: number }>
}

/**
 * Finds which edits of an accepted candidate carry its gain, by leaving them out. The attempts that the gate saw were
 * selected for being good, so the candidate is run afresh like the texts that lack some of its edits, on the tasks that
 * changed. Edits that carry nothing are dropped if the skill without them holds up in an evaluation of its own.
 */
export function attribute(
  run: Run,
  accepted: Accepted,
  options: AttributeOptions,
  place: Place,
): Promise<Attribution> {
  const { epoch, step } = place
  const candidate = skillHash(accepted.candidate.text)
  const key = `step ${step} ${candidate}`
  return run.once('attribution.finished', key, async () => {
    const at = { epoch, step, candidate }
    const units = unitsOf(accepted)
    const groups = firstGroups(units)
    const changed = changedTasks(accepted.rows.parent, accepted.rows.candidate, options.score)
    // The comparison is with the whole candidate: what an early verdict has left out of it is run too.
    const known = accepted.rows.candidate.filter(({ hard }) => hard !== undefined).length
    const evaluation = 2 * options.tasks.length - known
    const needs = { ...changed, variants: groups.length, evaluation }
    const plan = units.length < 2 ? undefined : planAttribution(needs, options.most)
    if (plan === undefined) {
      const reason = whyUntried(accepted.edits, units, changed, options.most)
      const { parent, candidate: whole } = accepted.rows
      const { contribution } = lossOf(whole, parent, changed.gained, options.score, options.tasks.length)
      return { ...at, skill: candidate, ...allTogether(accepted.edits, reason, contribution) }
    }
    const total = (groups.length + 1) * plan.tasks.length * plan.rounds
    await run.emit('stage.started', { ...place, total }, `attribution ${key}`)
    const trial = await beginTrial(run, accepted, changed, plan, options, place)
    const tried = { tasks: plan.tasks.length, rounds: plan.rounds }
    if (!cameAgain(trial.whole, trial.gained, options.score)) {
      const rest = { ...allTogether(accepted.edits, goneReason), ...tried, attempts: trial.cost }
      return { ...at, skill: candidate, ...rest }
    }
    const search = await leaveOutInTurn(accepted, groups, trial, plan, options)
    const outcome = await evaluateRest(accepted, search.out, options)
    const { document, score, objection } = outcome
    return {
      ...{ ...at, ...tried },
      skill: objection === undefined ? skillHash(document.text) : candidate,
      ...(score === undefined || objection !== undefined ? {} : { score }),
      attempts: search.attempts + (score === undefined ? 0 : evaluation),
      edits: search.findings.map(finding => entryOf(finding, plan, objection)),
      reasoning: summaryOf(search.findings, plan, outcome),
    }
  })
}

const goneReason =
  'Less than half of the gain came again in fresh attempts with all of the edits. What was luck is carried by none.'

function whyUntried(
  edits: readonly RecordedEdit[],
  units: readonly Unit[],
  { gained }: Changed,
  most: number,
): string {
  if (edits.length === 1) return 'The only edit: what was gained is its own.'
  if (units.length === 1) return 'The edits cannot be told apart: none of them can be left out alone.'
  if (gained.length === 0) return 'No validation task was gained, so there is nothing to share out.'
  return `The edits were not told apart: ${plural(most, 'attempt')} are too few to try each of them once.`
}

/** All edits stay, and share what is known. */
function allTogether(
  edits: readonly RecordedEdit[],
  reason: string,
  contribution?: Interval | undefined,
): Pick<Attribution, 'tasks' | 'rounds' | 'attempts' | 'edits' | 'reasoning'> {
  const ids = edits.map(({ id }) => id)
  const entry = { edits: ids, fate: 'kept' as const, reason, ...(contribution && { contribution }) }
  return { tasks: 0, rounds: 0, attempts: 0, edits: [entry], reasoning: reason }
}

/** The candidate comes first: its attempts are what every other text is compared with. */
async function beginTrial(
  run: Run,
  { candidate }: Accepted,
  changed: Changed,
  plan: AttributionPlan,
  { tasks, lanes }: AttributeOptions,
  place: Place,
): Promise<Trial> {
  const chosen = tasks.filter(({ id }) => plan.tasks.includes(id))
  const wanted = Array.from({ length: plan.rounds }, (_, sample) =>
    chosen.map(task => ({ task, sample })),
  ).flat()
  const scope = `attribution step ${place.step}`
  const tryAfresh = (skill: string) =>
    inLanes(wanted, lanes, async ({ task, sample }) =>
      rowOf(await run.perform({ kind: 'attempt', skill, task, sample, scope }, place)),
    )
  const gained = changed.gained.filter(({ task }) => plan.tasks.includes(task))
  return { whole: await tryAfresh(candidate.text), gained, cost: wanted.length, tryAfresh }
}

interface Outcome {
  readonly document: { readonly text: string }
  /** Of the skill without its idle edits, if it was evaluated. */
  readonly score: number | undefined
  /** Why it may not take the candidate's place. */
  readonly objection: string | undefined
}

/** A text that nobody has evaluated is not let in: without its idle edits the skill has to earn a score of its own. */
async function evaluateRest(
  accepted: Accepted,
  out: ReadonlySet<string>,
  { evaluate, score, noRegression, floors }: AttributeOptions,
): Promise<Outcome> {
  const { candidate, rows } = accepted
  const document = leaveOut(accepted, out) ?? candidate
  if (document.text === candidate.text) return { document, score: undefined, objection: undefined }
  const [whole, smaller] = await Promise.all([evaluate(candidate.text), evaluate(document.text)])
  const isShorter = document.text.length < candidate.text.length
  const all = { parent: rows.parent, whole: whole.rows, smaller: smaller.rows }
  const skills = { ...all, isShorter, noRegression, floors }
  return { document, score: smaller.score, objection: objectionTo(skills, score) }
}

function entryOf(
  { group, loss, idle }: Finding,
  { tasks, mayDrop }: AttributionPlan,
  objection: string | undefined,
): Attribution['edits'][number] {
  const dropped = idle && mayDrop && objection === undefined
  const many = group.flat().length > 1
  const [it, they] = many ? ['them', 'They'] : ['it', 'It']
  const tried =
    loss === undefined
      ? idle
        ? `${they} changed nothing that another edit did not write over.`
        : `${they} cannot be left out together with what was dropped.`
      : `With ${it} the ${plural(tasks.length, 'task')} tried afresh scored ${loss.whole.toFixed(1)}, without ${it} ${loss.without.toFixed(1)}.`
  const stays = !idle || dropped ? '' : ` Idle, and kept. ${objection ?? ''}`.trimEnd()
  const apart =
    !many || (idle && group.length > 1)
      ? ''
      : group.length > 1
        ? ' They were tried together only, to stay within the limit.'
        : ' None of them can be left out alone.'
  return {
    edits: idsIn(group),
    fate: dropped ? 'dropped' : 'kept',
    reason: `${tried}${apart}${stays}`,
    ...(loss?.contribution && { contribution: loss.contribution }),
  }
}

function summaryOf(
  findings: readonly Finding[],
  { mayDrop, needed }: AttributionPlan,
  { score, objection }: Outcome,
): string {
  const count = (some: readonly Finding[]) => some.reduce((sum, { group }) => sum + idsIn(group).length, 0)
  const idle = count(findings.filter(finding => finding.idle))
  const counted = `${idle} of ${plural(count(findings), 'edit')}`
  if (idle === 0) return 'No edit could be shown to carry nothing, so all stay.'
  if (!mayDrop)
    return `${counted} seemed to carry nothing. All stay: to leave edits out, ${needed} attempts have to be allowed.`
  if (objection !== undefined) return `${counted} seemed to carry nothing. All stay. ${objection}`
  const now = score === undefined ? '' : `; validation ${points(score)} afterwards`
  return `${counted} carried nothing: dropped${now}.`
}
