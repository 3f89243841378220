/**
 * Tasks whose result flipped between two skills. Random variation of the target also flips tasks, equally
 * often in both directions: this is the only assumption about noise here.
 */
export interface FlippedTasks {
  readonly gained: number
  readonly lost: number
  /** Shares of the previously failed and of the previously solved tasks that were tried. */
  readonly ofFailed: number
  readonly ofSolved: number
}

/**
 * One-sided p-value of the sign test: the probability of at least this many gains if nothing changed. The
 * tried shares of failed and solved tasks must be equal.
 */
export function signTestPValue({ gained, lost }: FlippedTasks): number {
  const flips = gained + lost
  let chance = 0
  let ways = 1
  for (let gains = flips; gains >= gained; gains -= 1) {
    chance += ways
    ways = (ways * gains) / (flips - gains + 1)
  }
  return chance / 2 ** flips
}

/** Probability that a change that costs `loss` tasks of the whole split does at least this well. */
export function lossLikelihood(flips: FlippedTasks, loss: number): number {
  const { gained, lost, ofFailed, ofSolved } = flips
  // Flips that the loss does not explain are noise. Some noise is always assumed, because few tasks cannot
  // rule it out.
  const noise = Math.max(0.25, (gained + lost + 1 - ofSolved * loss) / (ofFailed + ofSolved))
  return balanceTailProbability(flips, { gains: noise, losses: noise + loss })
}

/** Probability that a change that gains `gain` tasks of the whole split does at most this well. */
export function gainLikelihood(flips: FlippedTasks, gain: number): number {
  const { gained, lost, ofFailed, ofSolved } = flips
  if (ofSolved === 0) return poissonPmf(gained, ofFailed * gain).reduce((sum, chance) => sum + chance, 0)
  const noise = lost / ofSolved
  return 1 - balanceTailProbability(flips, { gains: noise + gain, losses: noise, above: 1e-9 })
}

/** Probability of at least this balance of gains over losses, given the expected numbers of both. */
function balanceTailProbability(
  flips: FlippedTasks,
  {
    gains,
    losses,
    above = -1e-9,
  }: { readonly gains: number; readonly losses: number; readonly above?: number },
): number {
  const { gained, lost, ofFailed, ofSolved } = flips
  const balance = gained / ofFailed - lost / ofSolved
  const most = (mean: number) => Math.ceil(mean + 6 * Math.sqrt(mean) + 8)
  const ofGains = poissonPmf(most(ofFailed * gains), ofFailed * gains)
  const ofLosses = poissonPmf(most(ofSolved * losses), ofSolved * losses)
  let chance = 0
  for (const [gain, chanceOfGains] of ofGains.entries())
    for (const [loss, chanceOfLosses] of ofLosses.entries())
      if (gain / ofFailed - loss / ofSolved >= balance + above) chance += chanceOfGains * chanceOfLosses
  return chance
}

/** Poisson probabilities of 0, 1, … `most` events with the given mean. */
function poissonPmf(most: number, mean: number): number[] {
  const chances = [Math.exp(-mean)]
  for (let events = 1; events <= most; events += 1) chances.push(((chances[events - 1] ?? 0) * mean) / events)
  return chances
}

/** Pairs that the candidate won and lost; ties carry no information. */
export interface DiscordantPairs {
  readonly won: number
  readonly lost: number
}

/** Posterior probability that the candidate loses more pairs than it wins, with a uniform prior. */
export function probabilityWorse({ won, lost }: DiscordantPairs): number {
  return upperHalfTail(won + lost + 1, won + 1)
}

/** P(X >= from) for a binomial with n draws of probability one half. */
function upperHalfTail(draws: number, from: number): number {
  let tail = 0
  for (let count = from; count <= draws; count++)
    tail += Math.exp(
      logFactorial(draws) - logFactorial(count) - logFactorial(draws - count) - draws * Math.LN2,
    )
  return Math.min(1, tail)
}

const logFactorials = [0]

function logFactorial(value: number): number {
  for (let next = logFactorials.length; next <= value; next++)
    logFactorials.push((logFactorials[next - 1] ?? 0) + Math.log(next))
  return logFactorials[value] ?? 0
}
