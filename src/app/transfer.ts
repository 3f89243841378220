import {
  type ChangedTask,
  comparePaired,
  compareSkills,
  type PairedScores,
} from '../core/comparison/skill-comparison.js'
import { CapReachedError, InputError, SkillOptError } from '../core/errors/errors.js'
import type { Split } from '../core/task/task.js'
import type { RunView } from '../core/view/fold.js'
import { closeModels } from '../models/index.js'
import { nothingSpent } from '../run/spending.js'
import { costsNothing, type MeasuringOptions, measuring, sessionOf } from '../session/evaluation-session.js'
import { inSession, type SessionResult } from '../session/session.js'
import { capsLeft, overall, spentIn, sumOfSpent } from '../session/shared-caps.js'
import { hasRun } from '../store/run-directories.js'
import { type Forecast, forecastAttempts } from '../trainer/forecast/forecast.js'
import { sumRanges } from '../trainer/forecast/range.js'
import type { EvaluationContext } from '../trainer/loops/evaluation.js'
import type { Setup } from '../trainer/loops/setup.js'
import { earlierEvaluations } from './earlier-evaluations.js'
import { earlierRuns, measuredFor } from './earlier-runs.js'
import { measureSkills, type SplitScore, splitScore } from './evaluate.js'
import {
  isReady,
  isRefused,
  planTransfer,
  type ReadyTarget,
  type RefusedTarget,
  type TransferPlan,
  type TransferPlanOptions,
} from './transfer-plan.js'

export interface TransferOptions
  extends TransferPlanOptions,
    Pick<MeasuringOptions, 'signal' | 'onEvent' | 'onNotice'> {
  /** Called before each target. The events that follow belong to the target's run. */
  readonly onTarget?: ((info: TransferTargetInfo) => void) | undefined
  /** Called with a forecast of the remaining work; skipped when nothing remains or nothing costs money. */
  readonly confirm?: ((forecast: TransferForecast) => Promise<boolean>) | undefined
}

export interface TransferTargetInfo {
  readonly target: string
  readonly directory: string
  readonly resumed: boolean
}

export interface TransferForecast {
  readonly split: Split
  readonly tasks: number
  readonly samples: number
  readonly simulated: boolean
  /** The usable targets, each with the number of attempts that its log does not contain yet. */
  readonly targets: readonly {
    readonly target: string
    readonly attempts: number
    readonly forecast: Forecast
  }[]
  readonly total: Forecast['total']
  readonly refused: readonly RefusedTarget[]
}

export interface TransferScores {
  readonly none: SplitScore
  readonly seed: SplitScore
  readonly trained: SplitScore
  /** The trained skill compared with the seed task by task. The intervals hold for all targets at once. */
  readonly gain: PairedScores
  /** The trained skill compared with no skill. */
  readonly overNone: PairedScores
  /** Tasks whose results differ between no skill, the seed and the trained skill. */
  readonly changed: readonly ChangedTask[]
  /**
   * Derived from the confidence interval of the gain. `transfers`: above 0. `harms`: below 0. `no-gain`:
   * contains 0 but not the smallest gain. `unclear`: contains both.
   */
  readonly verdict: 'transfers' | 'harms' | 'no-gain' | 'unclear'
}

export interface TransferredTo {
  readonly target: string
  /** `refused`: the target could not be used, so it was not called. */
  readonly outcome: SessionResult<unknown>['outcome'] | 'refused'
  /** The target's run directory; undefined if no run was started. */
  readonly directory: string | undefined
  readonly simulated: boolean
  /** Undefined unless every attempt was made. */
  readonly scores: TransferScores | undefined
  readonly spending: RunView['spending'] | undefined
  readonly error: SkillOptError | undefined
}

export interface TransferResult {
  /**
   * The first of these that applies to any target: `interrupted`, `cap`, `paused` (a target was refused or
   * failed). Otherwise `finished`. The scores of the other targets are present in any case.
   */
  readonly outcome: SessionResult<unknown>['outcome'] | 'declined'
  readonly split: Split
  readonly tasks: number
  readonly samples: number
  /** `evaluation.smallestGain` of the config: smaller differences do not count as a gain. */
  readonly smallestGain: number
  /** Names of the files or runs that the trained skill and the seed come from. */
  readonly trained: string
  readonly seed: string
  /** The results in the order in which the user named the targets. */
  readonly targets: readonly TransferredTo[]
}

/** Forecasts the remaining work of a transfer without calling, writing or paying for anything. */
export async function forecastTransfer(options: TransferPlanOptions): Promise<TransferForecast> {
  try {
    return await forecastPlan(await planTransfer(options), options.cwd ?? process.cwd())
  } finally {
    await closeModels()
  }
}

/**
 * Measures whether a skill helps other targets. Scores no skill, the seed and the trained skill on the same
 * tasks with each target. Each target has its own run. The runs follow one another, so that the caps hold for
 * all together.
 */
export async function transfer(options: TransferOptions): Promise<TransferResult> {
  const cwd = options.cwd ?? process.cwd()
  try {
    const plan = await planTransfer(options)
    const { split, tasks, samples, smallestGain, trained, seed } = plan
    const about = { split, tasks, samples, smallestGain, trained: trained.name, seed: seed.name }
    if (!(await isAgreed(plan, options, cwd))) return { ...about, outcome: 'declined', targets: [] }
    const targets: TransferredTo[] = []
    for (const target of plan.targets) {
      targets.push(
        isReady(target)
          ? await measureTarget(target, plan, { ...options, cwd })
          : notMeasured(target, 'refused'),
      )
    }
    return { ...about, outcome: outcomeOf(targets), targets }
  } finally {
    await closeModels()
  }
}

async function isAgreed(
  plan: TransferPlan,
  { confirm }: Pick<TransferOptions, 'confirm'>,
  cwd: string,
): Promise<boolean> {
  const isPaid = plan.targets
    .filter(isReady)
    .some(({ setup, attemptsLeft }) => attemptsLeft > 0 && !costsNothing(setup))
  return confirm === undefined || !isPaid || confirm(await forecastPlan(plan, cwd))
}

async function forecastPlan(plan: TransferPlan, cwd: string): Promise<TransferForecast> {
  const { split, tasks, samples } = plan
  const ready = plan.targets.filter(isReady)
  const earlier = await earlierRuns(ready[0]?.setup.name ?? '', cwd)
  const targets = await Promise.all(
    ready.map(async ({ target, setup, attemptsLeft }) => ({
      target,
      attempts: attemptsLeft,
      forecast: await forecastAttempts(setup, attemptsLeft, measuredFor(setup, earlier)),
    })),
  )
  const totals = targets.map(({ forecast }) => forecast.total)
  const costs = totals.map(({ cost }) => cost)
  const total = {
    calls: sumRanges(totals.map(({ calls }) => calls)),
    tokens: sumRanges(totals.map(({ tokens }) => tokens)),
    cost: costs.every(cost => cost !== undefined) ? sumRanges(costs) : undefined,
  }
  const simulated = ready.some(({ setup }) => setup.simulated)
  return { split, tasks, samples, simulated, targets, total, refused: plan.targets.filter(isRefused) }
}

/** Measures one target. If it fails, the results of the others are kept; only a bug ends the transfer. */
async function measureTarget(
  target: ReadyTarget,
  plan: TransferPlan,
  options: TransferOptions & { readonly cwd: string },
): Promise<TransferredTo> {
  const { directory } = target
  const resumed = await hasRun(directory)
  try {
    if (options.signal?.aborted === true) return notMeasured(target, 'interrupted')
    const setup = await withinCaps(target, plan)
    options.onTarget?.({ target: target.target, directory, resumed })
    const session = sessionOf('eval', setup, { ...options, directory, sources: target.loaded.sources })
    const earlier = earlierEvaluations(setup, directory, options.cwd)
    const { outcome, value, error, view } = await inSession(setup, { ...session, earlier }, run =>
      compareOn({ run, setup, ...measuring(setup) }, plan),
    )
    const about = { target: target.target, directory, simulated: setup.simulated }
    return {
      ...about,
      outcome,
      scores: value,
      spending: view.spending,
      error: overall(error, plan.limits, whole),
    }
  } catch (error) {
    if (!(error instanceof SkillOptError)) throw error
    const outcome = error instanceof CapReachedError ? 'cap' : 'paused'
    return notMeasured({ ...target, error }, error instanceof InputError ? 'refused' : outcome)
  }
}

/** The target's setup, with caps reduced by what the other targets have already spent. */
async function withinCaps({ directory, setup }: ReadyTarget, plan: TransferPlan): Promise<Setup> {
  const others = plan.targets.filter(isReady).filter(other => other.directory !== directory)
  const own = await spentIn(directory, setup.models)
  const elsewhere = await Promise.all(others.map(other => spentIn(other.directory, other.setup.models)))
  const limits = capsLeft(plan.limits, { own, others: elsewhere.reduce(sumOfSpent, nothingSpent) }, whole)
  return { ...setup, config: { ...setup.config, limits } }
}

/** Names the scope of the caps in messages. */
const whole = 'all targets together'

function notMeasured(
  { target, error, directory }: Partial<ReadyTarget & RefusedTarget> & { readonly target: string },
  outcome: TransferredTo['outcome'],
): TransferredTo {
  return { target, outcome, directory, simulated: false, scores: undefined, spending: undefined, error }
}

async function compareOn(needs: EvaluationContext, plan: TransferPlan): Promise<TransferScores> {
  const { none, seed, trained, split, samples } = plan
  const { score } = needs
  const skills = [none, seed, trained]
  const texts = skills.map(({ text }) => text)
  const rowsOf = await measureSkills(needs, { skills, texts, splits: [split], samples })
  const rows = {
    none: rowsOf(none.text, split),
    seed: rowsOf(seed.text, split),
    trained: rowsOf(trained.text, split),
  }
  // The intervals are widened for the number of targets, because among many targets one looks good by chance.
  const comparisons = plan.targets.length
  const gain = comparePaired(rows.trained, rows.seed, { score, pairCount: comparisons })
  return {
    none: splitScore(split, rows.none, score),
    seed: splitScore(split, rows.seed, score),
    trained: splitScore(split, rows.trained, score),
    gain,
    overNone: comparePaired(rows.trained, rows.none, { score, pairCount: comparisons }),
    changed: compareSkills(
      skills.map(({ name, text }) => ({ name, rows: rowsOf(text, split) })),
      score,
    ).changed,
    verdict: verdictOf(gain, plan.smallestGain),
  }
}

function verdictOf({ tasks, difference }: PairedScores, smallestGain: number): TransferScores['verdict'] {
  if (tasks === 0) return 'unclear'
  if (difference.low > 0) return 'transfers'
  if (difference.high < 0) return 'harms'
  return difference.high < smallestGain ? 'no-gain' : 'unclear'
}

function outcomeOf(targets: readonly TransferredTo[]): TransferResult['outcome'] {
  const outcomes = new Set(targets.map(({ outcome }) => outcome))
  if (outcomes.has('interrupted')) return 'interrupted'
  if (outcomes.has('cap')) return 'cap'
  return outcomes.has('paused') || outcomes.has('refused') ? 'paused' : 'finished'
}
