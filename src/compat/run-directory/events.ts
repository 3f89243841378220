import { logVersion } from '../../core/log/event.js'
import { seedDocument } from '../../core/skill/document.js'
import { skillHash } from '../../core/skill/skill.js'
import { tracedByLines } from './edits.js'
import { epochEvents } from './epoch.js'
import { evaluationOf, resultsIn, testOf } from './evaluations.js'
import { event, type ImportContext, type NewEvent } from './importing.js'
import type { ReferenceRun } from './run.js'
import { remainderOf } from './spending.js'
import { type Best, bestEvent, stepEvents, stepFolder, type TrainingState, versionEvent } from './step.js'

export interface Identity {
  readonly run: string
  /** Path of the imported folder, for display. */
  readonly from: string
  readonly config: Readonly<Record<string, unknown>>
  readonly sources: Readonly<Record<string, string>>
}

/** Converts a run of the Python SkillOpt to our events. Facts that it did not record are left out. */
export async function* eventsOf(
  importing: ImportContext,
  run: ReferenceRun,
  identity: Identity,
): AsyncGenerator<NewEvent> {
  const { history, seed } = run
  yield await startEvent(importing, run, identity)
  let state = await seedState(importing, run)
  yield versionEvent(importing, state, { version: 0, because: 'the seed skill' })
  const baseline = await resultsIn(importing, baselineFolder)
  if (baseline !== undefined) {
    const place = { stage: 'baseline', epoch: 0, step: 0 } as const
    const skill = skillHash(seed)
    yield* evaluationOf(importing, { name: baselineFolder, results: baseline, skill, place })
  }
  if (state.best !== undefined) yield bestEvent(importing, state.best)

  for (const [index, record] of history.entries()) {
    const endsEpoch = history[index + 1]?.epoch !== record.epoch
    state = yield* stepEvents(importing, record, { before: state, endsEpoch })
    if (endsEpoch)
      state = yield* epochEvents(importing, { epoch: record.epoch, lastStep: record.step }, state)
  }

  yield* endEvents(importing, run, state)
}

const baselineFolder = 'selection_eval_baseline'

async function seedState(importing: ImportContext, { seed, summary }: ReferenceRun): Promise<TrainingState> {
  const rows = await resultsIn(importing, baselineFolder)
  const { baseline_selection_hard: hard, baseline_selection_soft: soft } = summary ?? {}
  const mean = (pick: 'hard' | 'soft') =>
    rows === undefined ? undefined : rows.reduce((sum, row) => sum + (row[pick] ?? row.hard), 0) / rows.length
  const means = { hard: mean('hard') ?? hard, soft: mean('soft') ?? soft }
  // Older runs recorded only the hard score, which is enough for the metric `hard`.
  const needsSoft = importing.metric !== 'hard'
  const score =
    means.hard === undefined || (needsSoft && means.soft === undefined)
      ? undefined
      : importing.score({ hard: means.hard, soft: means.soft ?? means.hard })
  const current = seedDocument(seed)
  if (score === undefined) return { current, score, earned: new Map(), best: undefined }
  const best = { version: 0, document: current, score }
  return { current, score, earned: new Map([[skillHash(seed), score]]), best }
}

async function startEvent(
  importing: ImportContext,
  { history, summary, seed, config }: ReferenceRun,
  { run, from, config: shown, sources }: Identity,
): Promise<NewEvent> {
  const most = (counts: readonly number[]) => Math.max(1, ...counts)
  const epochs = history.map(({ epoch }) => epoch)
  const stepsIn = (epoch: number) => epochs.filter(other => other === epoch).length
  return event('run.started', {
    log: logVersion,
    kind: 'train',
    run,
    product: productOf(summary?.version),
    config: JSON.parse(JSON.stringify(shown)),
    sources: { ...sources },
    fingerprints: {},
    simulated: false,
    seedSkill: importing.put(seed),
    tasks: await taskCounts(
      importing,
      config,
      history.map(({ step }) => step),
    ),
    epochs: whole(config.num_epochs) ?? most(epochs),
    stepsPerEpoch: whole(config.steps_per_epoch) ?? most(epochs.map(stepsIn)),
    importedFrom: from,
  })
}

const productOf = (version: string | undefined) =>
  version === undefined ? 'the Python SkillOpt' : `the Python SkillOpt (${version})`

/**
 * Number of tasks in each split, if recorded. The counts come from the sizes that the run chose, or from the
 * rows of an evaluation.
 */
async function taskCounts(
  importing: ImportContext,
  config: Readonly<Record<string, unknown>>,
  steps: readonly number[],
) {
  const first = async (names: readonly string[]): Promise<number | undefined> => {
    for (const name of names) {
      const results = await resultsIn(importing, name)
      if (results !== undefined) return results.length
    }
    return undefined
  }
  const train = whole(config.samples_per_epoch) ?? whole(config.train_size)
  const val =
    whole(config.sel_env_num) ??
    (await first([baselineFolder, ...steps.map(step => `${stepFolder(step)}/selection_eval`)]))
  const test = whole(config.test_env_num) ?? (await first(['test_eval', 'test_eval_baseline']))
  return { train, val, test }
}

/** A positive count. In the reference, 0 means "all" or "not set". */
function whole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined
}

async function* endEvents(
  importing: ImportContext,
  run: ReferenceRun,
  state: TrainingState,
): AsyncGenerator<NewEvent> {
  const { history, summary } = run
  const best = bestOf(run, state)
  if (best !== undefined && best !== state.best) yield bestEvent(importing, best)
  yield* testEvents(importing, run, { current: state.current, best })
  if (summary?.token_summary !== undefined) {
    const steps = history.map(({ tokens }) => tokens ?? {})
    yield* remainderOf(summary.token_summary, steps)
  }
  const worked = history.reduce((sum, { wall_time_s }) => sum + (wall_time_s ?? 0), 0)
  const rest = Math.max(0, Math.round(((summary?.total_wall_time_s ?? worked) - worked) * 1000))
  if (summary === undefined || best === undefined) {
    const message = 'It had not finished when it was imported.'
    yield event('run.stopped', { reason: 'interrupted', message }, rest)
    return
  }
  const last = history.at(-1)?.step ?? 0
  yield event('run.finished', { best: best.version, last, score: best.score }, rest)
}

/** The best skill: `best_skill.md`, which ships even if the steps record another text as the best. */
function bestOf(
  { history, summary, bestSkill }: ReferenceRun,
  { current, best }: TrainingState,
): Best | undefined {
  const last = history.at(-1)
  const version = summary?.best_step ?? last?.best_step
  const score = last?.best_score ?? summary?.best_selection_hard
  if (bestSkill === undefined || version === undefined || score === undefined) return best
  if (best?.document.text === bestSkill) return best
  return { version, score, document: tracedByLines(current, bestSkill, 'best_skill.md') }
}

async function* testEvents(
  importing: ImportContext,
  { seed, summary }: ReferenceRun,
  { current, best }: Pick<TrainingState, 'current' | 'best'>,
): AsyncGenerator<NewEvent> {
  yield* testOf(importing, {
    which: 'initial',
    name: 'test_eval_baseline',
    skill: skillHash(seed),
    hard: summary?.baseline_test_hard,
    soft: summary?.baseline_test_soft,
  })
  if (best !== undefined)
    yield* testOf(importing, {
      which: 'best',
      name: 'test_eval',
      skill: skillHash(best.document.text),
      hard: summary?.test_hard,
      soft: summary?.test_soft,
    })
  yield* testOf(importing, {
    which: 'last',
    name: 'test_eval_final',
    skill: skillHash(current.text),
    hard: summary?.final_test_hard,
    soft: summary?.final_test_soft,
  })
}
