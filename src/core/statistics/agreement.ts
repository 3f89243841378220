import { type Interval, wilsonInterval } from './intervals.js'

/** A human label and a judge's score of one answer, both from 0 to 1, with the votes behind the score. */
export interface Judged {
  readonly label: number
  readonly score: number
  readonly votes: readonly number[]
}

export interface Agreement {
  readonly compared: number
  /** Share of answers on which label and judge agree about passing. */
  readonly accuracy: Interval
  /** Cohen's kappa, the agreement beyond chance; undefined if label and judge can only agree by chance. */
  readonly kappa: Interval | undefined
  readonly meanDifference: number
  /** Pearson correlation; undefined if all labels or all scores are equal. */
  readonly correlation: number | undefined
  /** How often two votes on the same answer agree about passing; undefined if no answer has two votes. */
  readonly selfConsistency: number | undefined
  readonly bothPass: number
  readonly bothFail: number
  readonly onlyJudgePasses: number
  readonly onlyLabelPasses: number
}

/** Measures how far a judge can be trusted. Requires at least one judged answer. */
export function agreementOf(judged: readonly Judged[], threshold: number): Agreement {
  const count = (label: boolean, judge: boolean) =>
    judged.filter(one => passes(one.label) === label && passes(one.score) === judge).length
  const passes = (score: number) => score >= threshold
  const cells = {
    bothPass: count(true, true),
    bothFail: count(false, false),
    onlyJudgePasses: count(false, true),
    onlyLabelPasses: count(true, false),
  }
  const accuracy = wilsonInterval((cells.bothPass + cells.bothFail) / judged.length, judged.length)
  return {
    compared: judged.length,
    accuracy,
    kappa: kappaOf(accuracy, cells, judged.length),
    meanDifference: mean(judged.map(({ label, score }) => Math.abs(label - score))),
    correlation: correlationOf(judged),
    selfConsistency: consistencyOf(judged, passes),
    ...cells,
  }
}

/**
 * Cohen's kappa with an interval: the interval of the accuracy on the kappa scale, with chance agreement as
 * known. The interval never has width zero, so ten agreements out of ten do not look certain.
 */
function kappaOf(
  accuracy: Interval,
  cells: Pick<Agreement, 'bothPass' | 'onlyJudgePasses' | 'onlyLabelPasses'>,
  total: number,
): Interval | undefined {
  const labelled = (cells.bothPass + cells.onlyLabelPasses) / total
  const judged = (cells.bothPass + cells.onlyJudgePasses) / total
  const chance = labelled * judged + (1 - labelled) * (1 - judged)
  if (chance === 1) return undefined
  const scaled = (share: number) => (share - chance) / (1 - chance)
  return { mean: scaled(accuracy.mean), low: scaled(accuracy.low), high: scaled(accuracy.high) }
}

function correlationOf(judged: readonly Judged[]): number | undefined {
  const [labels, scores] = [judged.map(({ label }) => label), judged.map(({ score }) => score)]
  const spread = covariance(labels, labels) * covariance(scores, scores)
  return spread === 0 ? undefined : covariance(labels, scores) / Math.sqrt(spread)
}

function covariance(left: readonly number[], right: readonly number[]): number {
  const [middle, other] = [mean(left), mean(right)]
  return mean(left.map((value, index) => (value - middle) * ((right[index] ?? 0) - other)))
}

function consistencyOf(judged: readonly Judged[], passes: (score: number) => boolean): number | undefined {
  let pairs = 0
  let alike = 0
  for (const { votes } of judged) {
    const yes = votes.filter(passes).length
    const no = votes.length - yes
    pairs += (votes.length * (votes.length - 1)) / 2
    alike += (yes * (yes - 1) + no * (no - 1)) / 2
  }
  return pairs === 0 ? undefined : alike / pairs
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
