/**
 * Tasks that changed sides between two skills. What a target does by chance makes tasks flip as well, as often in one
 * direction as in the other: that is all that is assumed about noise here.
 */
export interface Flips {
  readonly gained: number
  readonly lost: number
  /** Shares of the tasks that were failed before, and of those that were solved, which have been tried. */
  readonly ofFailed: number
  readonly ofSolved: number
}

/** How often so many of the flips, or more, would be gains if nothing had changed. Both shares have to be the same. */
export function chanceOfNoChange({ gained, lost }: Flips): number {
  const flips = gained + lost
  let chance = 0
  let ways = 1
  for (let gains = flips; gains >= gained; gains -= 1) {
    chance += ways
    ways = (ways * gains) / (flips - gains + 1)
  }
  return chance / 2 ** flips
}

/** How often a change that costs `loss` tasks of the whole split would come out this well, or better. */
export function chanceOfLoss(flips: Flips, loss: number): number {
  const { gained, lost, ofFailed, ofSolved } = flips
  // What the loss does not explain of the flips is noise. Never none at all: a few tasks do not prove that.
  const noise = Math.max(0.25, (gained + lost + 1 - ofSolved * loss) / (ofFailed + ofSolved))
  return chanceOfBalance(flips, noise, noise + loss)
}

/** How often a change that gains `gain` tasks of the whole split would come out this badly, or worse. */
export function chanceOfGain(flips: Flips, gain: number): number {
  const { gained, lost, ofFailed, ofSolved } = flips
  if (ofSolved === 0) return chancesUpTo(gained, ofFailed * gain).reduce((sum, chance) => sum + chance, 0)
  const noise = lost / ofSolved
  return 1 - chanceOfBalance(flips, noise + gain, noise, 1e-9)
}

/** The chance of a balance of gains and losses like this one, or above it, from how many of them are to be expected. */
function chanceOfBalance(flips: Flips, gains: number, losses: number, above = -1e-9): number {
  const { gained, lost, ofFailed, ofSolved } = flips
  const balance = gained / ofFailed - lost / ofSolved
  const most = (mean: number) => Math.ceil(mean + 6 * Math.sqrt(mean) + 8)
  const ofGains = chancesUpTo(most(ofFailed * gains), ofFailed * gains)
  const ofLosses = chancesUpTo(most(ofSolved * losses), ofSolved * losses)
  let chance = 0
  for (const [gain, chanceOfGains] of ofGains.entries())
    for (const [loss, chanceOfLosses] of ofLosses.entries())
      if (gain / ofFailed - loss / ofSolved >= balance + above) chance += chanceOfGains * chanceOfLosses
  return chance
}

/** Poisson: the chances of 0, 1, … `most` events where `mean` are expected. */
function chancesUpTo(most: number, mean: number): number[] {
  const chances = [Math.exp(-mean)]
  for (let events = 1; events <= most; events += 1) chances.push(((chances[events - 1] ?? 0) * mean) / events)
  return chances
}
