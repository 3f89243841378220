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
