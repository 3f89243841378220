import { InputError } from '../../core/errors/errors.js'
import type { EventBody, Patch, RecordedEdit } from '../../core/log/event.js'
import type { SkillDocument } from '../../core/skill/document.js'
import { skillHash } from '../../core/skill/skill.js'
import { points } from '../../core/text/format.js'
import { editsOf, reportsOf, selectedFrom, sourceOf, traced, tracedByLines } from './edits.js'
import { attemptsOf, evaluationOf, resultsIn } from './evaluations.js'
import { event, type ImportContext, type NewEvent } from './importing.js'
import { analystSchema, applySchema, patchSchema, rewriteSchema, type StepRecord } from './records.js'
import { spendingOf } from './spending.js'

/** State of a run between steps. */
export interface TrainingState {
  readonly current: SkillDocument
  /** The recorded score that the gate compares the candidate with. */
  readonly score: number | undefined
  /** Scores by the hash of the text that was evaluated. */
  readonly earned: ReadonlyMap<string, number>
  readonly best: Best | undefined
}

export interface Best {
  readonly version: number
  readonly document: SkillDocument
  readonly score: number
}

type Outcome = EventBody<'step.finished'>['outcome']

export const stepFolder = (step: number) => `steps/step_${String(step).padStart(4, '0')}`
export const versionFile = (step: number) => `skills/skill_v${String(step).padStart(4, '0')}.md`

/** Yields all events of a step in order and returns the state after it. */
export async function* stepEvents(
  importing: ImportContext,
  record: StepRecord,
  { before, endsEpoch }: { readonly before: TrainingState; readonly endsEpoch: boolean },
): AsyncGenerator<NewEvent, TrainingState> {
  const { step, epoch } = record
  const at = { epoch, step }
  const outcome = outcomeOf(record, importing)
  const rounds = await roundFolders(importing, step)
  const tried = await Promise.all(rounds.map(folder => resultsIn(importing, `${folder}/rollout`)))
  const tasks = tried.flatMap(results => results ?? []).map(({ id }) => id)
  yield event('step.started', {
    ...at,
    budget: record.edit_budget,
    tasks,
    skill: skillHash(before.current.text),
  })

  for (const [round, folder] of rounds.entries()) {
    const skill = skillHash(before.current.text)
    const place = { stage: 'rollout', ...at } as const
    yield* attemptsOf(importing, { name: `${folder}/rollout`, results: tried[round] ?? [], skill, place })
  }
  yield* rolloutEvents(record)

  const patches = (await Promise.all(rounds.map(folder => patchesIn(importing, folder, step)))).flat()
  if (patches.length > 0) yield event('reflect.finished', { ...at, patches, failed: 0 })
  const proposed = yield* editEvents(importing, record)
  const candidate = await candidateOf(importing, record, { before: before.current, edits: proposed.edits })
  if (candidate !== undefined)
    yield updateEvent(importing, record, { text: candidate.text, reports: proposed.reports })

  const judged = yield* gateEvents(importing, record, { before, candidate })
  const after = await stateAfter(importing, record, { outcome, before, candidate, judged, endsEpoch })
  yield versionEvent(importing, after, { version: step, because: `step ${step}: ${outcome}` })
  if (after.best !== undefined && after.best !== before.best) yield bestEvent(importing, after.best)
  const ms = Math.round((record.wall_time_s ?? 0) * 1000)
  yield event('step.finished', { ...at, outcome, skill: skillHash(after.current.text) }, ms)
  yield* spendingOf(record.tokens ?? {}, at)
  return after
}

/** Converts the reference's outcome of a step to ours. */
function outcomeOf({ action, step }: StepRecord, { folder }: ImportContext): Outcome {
  if (/^(force_)?accept/.test(action)) return 'accepted'
  if (action.startsWith('reject')) return 'rejected'
  if (action === 'skip_no_rewrite') return 'optimizer-failed'
  if (action.startsWith('skip')) return 'no-edits'
  throw new InputError(`${folder.path}/history.json: step ${step} has the unknown action "${action}".`, {
    hint: 'Expected accept_new_best, accept, force_accept, reject or skip_….',
  })
}

const isBest = ({ action, best_step, step }: StepRecord): boolean =>
  action === 'accept_new_best' || (best_step === step && !action.startsWith('skip'))

/** Folders of a step's rounds. With gradient accumulation, each round has its own. */
async function roundFolders({ folder }: ImportContext, step: number): Promise<string[]> {
  const own = stepFolder(step)
  const batches = (await folder.names(own)).filter(name => /^batch_\d+$/.test(name))
  return batches.length === 0 ? [own] : batches.map(name => `${own}/${name}`)
}

function* rolloutEvents(record: StepRecord): Generator<NewEvent> {
  const { epoch, step, rollout_hard, rollout_soft, rollout_n, accumulation_batches = [] } = record
  const whole = { hard: rollout_hard, soft: rollout_soft, n_envs: rollout_n }
  const rounds = accumulation_batches.length > 1 ? accumulation_batches : [whole]
  for (const [round, { hard, soft, n_envs }] of rounds.entries()) {
    if (hard === undefined || n_envs === undefined) continue
    const means = { hard, soft: soft ?? hard, scored: n_envs, failed: 0 }
    yield event('rollout.finished', { epoch, step, round, ...means })
  }
}

/** Reads the patches that the analysts proposed, one from each file. */
async function patchesIn({ folder }: ImportContext, where: string, step: number): Promise<Patch[]> {
  const names = (await folder.names(`${where}/patches`)).filter(name => name.endsWith('.json'))
  const patches = await Promise.all(
    names.map(async (name, index): Promise<Patch[]> => {
      const analyst = await folder.json(`${where}/patches/${name}`, analystSchema.nullable())
      if (analyst?.patch === undefined) return []
      const from = sourceOf(analyst.source_type) ?? (name.includes('succ') ? 'success' : 'failure')
      return [
        {
          from,
          tasks: [],
          reasoning: analyst.patch.reasoning ?? '',
          patterns: analyst.failure_summary ?? [],
          edits: editsOf(analyst.patch, `${step}.p${index}.`, from),
        },
      ]
    }),
  )
  return patches.flat()
}

interface Proposed {
  readonly edits: readonly RecordedEdit[]
  readonly reports: EventBody<'update.finished'>['reports']
}

/** Events for merging and selecting edits and, in rewrite mode, for the rewrite. */
async function* editEvents(importing: ImportContext, record: StepRecord): AsyncGenerator<NewEvent, Proposed> {
  const { folder } = importing
  const { epoch, step, edit_budget, support_counts = [] } = record
  const at = { epoch, step }
  const own = stepFolder(step)
  const merged = await folder.json(`${own}/merged_patch.json`, patchSchema)
  const ranked = await folder.json(`${own}/ranked_edits.json`, patchSchema)
  const all = merged === undefined ? [] : editsOf(merged, `${step}.`)
  const selected = ranked === undefined ? [] : selectedFrom(all, editsOf(ranked, `${step}.r`), support_counts)
  if (merged !== undefined || ranked !== undefined)
    yield event('aggregate.finished', { ...at, edits: merged === undefined ? selected : all, failed: 0 })
  if (ranked !== undefined) {
    const kept = new Set(selected.map(({ id }) => id))
    const dropped = all.map(({ id }) => id).filter(id => !kept.has(id))
    const budget = edit_budget ?? selected.length
    yield event('select.finished', { ...at, budget, edits: selected, dropped, failed: 0 })
  }

  const rewrite = await folder.json(`${own}/rewrite_result.json`, rewriteSchema.nullable())
  if (rewrite?.new_skill !== undefined) {
    const edit: RecordedEdit = {
      op: 'rewrite',
      content: rewrite.new_skill,
      summary: rewrite.change_summary ?? '',
      id: `${step}.rewrite`,
      why: '',
      support: 0,
      from: 'unknown',
      tasks: [],
    }
    yield event('rewrite.finished', { ...at, edit, failed: 0 })
    return { edits: [edit], reports: [{ edit: edit.id, status: 'applied', reason: 'Rewritten.' }] }
  }
  const statuses = await folder.json(`${own}/edit_apply_report.json`, applySchema)
  return { edits: selected, reports: reportsOf(selected, statuses ?? []) }
}

/**
 * The candidate's text. It comes from its own file or, if the hash matches, from the version that the
 * candidate became.
 */
async function candidateOf(
  { folder }: ImportContext,
  { step, candidate_hash }: StepRecord,
  { before, edits }: { readonly before: SkillDocument; readonly edits: readonly RecordedEdit[] },
): Promise<SkillDocument | undefined> {
  const own = await folder.text(`${stepFolder(step)}/candidate_skill.md`)
  const text = own ?? (await folder.text(versionFile(step)))
  const isIt = own !== undefined || (text !== undefined && skillHash(text) === candidate_hash)
  return isIt && text !== undefined ? traced(before, text, { edits, otherwise: `step ${step}` }) : undefined
}

function updateEvent(
  { put }: ImportContext,
  { epoch, step }: StepRecord,
  { text, reports }: Pick<SkillDocument, 'text'> & Pick<Proposed, 'reports'>,
): NewEvent {
  return event('update.finished', { epoch, step, skill: skillHash(text), text: put(text), reports })
}

/** Yields the events of the gate and returns the candidate's score, if it was evaluated. */
async function* gateEvents(
  importing: ImportContext,
  record: StepRecord,
  { before, candidate }: { readonly before: TrainingState; readonly candidate: SkillDocument | undefined },
): AsyncGenerator<NewEvent, number | undefined> {
  const { epoch, step, action, selection_hard: hard, selection_soft, candidate_gate_score } = record
  if (action.startsWith('skip') || hard === undefined) return undefined
  const soft = selection_soft ?? hard
  const score = candidate_gate_score ?? importing.score({ hard, soft })
  const skill = candidate === undefined ? record.candidate_hash : skillHash(candidate.text)
  const name = `${stepFolder(step)}/selection_eval`
  const results = await resultsIn(importing, name)
  if (results !== undefined && candidate !== undefined && skill !== undefined)
    yield* evaluationOf(importing, { name, results, skill, place: { stage: 'gate', epoch, step } })
  if (skill === undefined || before.score === undefined) return score
  const accepted = !action.startsWith('reject')
  yield event('gate.decided', {
    epoch,
    step,
    what: 'step',
    candidate: skill,
    current: before.score,
    score,
    best: record.best_score ?? Math.max(before.score, score),
    action: !accepted ? 'reject' : isBest(record) ? 'accept_new_best' : 'accept',
    verdict: {
      decision: accepted ? 'accept' : 'reject',
      complete: true,
      reason: `recorded as ${action}: hard ${points(hard)}, soft ${points(soft)}`,
    },
  })
  return score
}

interface StepResult {
  readonly outcome: Outcome
  readonly before: TrainingState
  readonly candidate: SkillDocument | undefined
  /** The candidate's score; undefined if it was not evaluated. */
  readonly judged: number | undefined
  readonly endsEpoch: boolean
}

/**
 * The state after a step. The next step starts with the text of the skill's file, which takes precedence over
 * the candidate's: notes may have been added to it without an evaluation, and a score belongs only to the
 * exact text that earned it. At the end of an epoch the file is avoided, because it already contains the
 * changes of the epoch's end.
 */
async function stateAfter(
  { folder }: ImportContext,
  record: StepRecord,
  { outcome, before, candidate, judged, endsEpoch }: StepResult,
): Promise<TrainingState> {
  const { step, current_score, candidate_hash, best_score } = record
  const earned = new Map(before.earned)
  const hash = candidate === undefined ? candidate_hash : skillHash(candidate.text)
  if (judged !== undefined && hash !== undefined) earned.set(hash, judged)
  const accepted = outcome === 'accepted'
  const known = accepted ? candidate : before.current
  const written = endsEpoch && known !== undefined ? undefined : await folder.text(versionFile(step))
  const from = known ?? before.current
  const current = written === undefined ? from : tracedByLines(from, written, `step ${step}`)
  const best =
    accepted && isBest(record) && best_score !== undefined
      ? { version: step, document: candidate ?? current, score: best_score }
      : before.best
  return { current, earned, best, score: current_score ?? (accepted ? judged : before.score) }
}

export function versionEvent(
  importing: ImportContext,
  { current, earned }: TrainingState,
  { version, because }: { readonly version: number; readonly because: string },
): NewEvent {
  const stored = storedSkill(importing, current)
  return event('skill.version', { version, ...stored, because, score: earned.get(stored.skill) })
}

export function bestEvent(importing: ImportContext, { version, document, score }: Best): NewEvent {
  return event('best.changed', { version, ...storedSkill(importing, document), score })
}

function storedSkill({ put }: ImportContext, { text, origins }: SkillDocument) {
  return { skill: skillHash(text), text: put(text), origins: put(JSON.stringify(origins)) }
}
