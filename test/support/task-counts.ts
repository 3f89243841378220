import { wilsonInterval } from '../../src/core/statistics.js'

/** The figures of docs/how-many-tasks.md, as rows of its tables. */

const counts = [10, 20, 50, 100, 200, 500]

/** The 95% interval of a score, by how many tasks it was measured on. */
export function intervalRows(): string[] {
  return counts.map(count => {
    const cells = [0.5, 0.8, 0.9].map(share => {
      const { low, high } = wilsonInterval(share, count)
      return `${percent(low)} to ${percent(high)}`
    })
    return row([String(count), `${trimmed(100 / count)} ${count === 100 ? 'point' : 'points'}`, ...cells])
  })
}

const currentShare = 0.7
const differences = [-0.1, -0.05, 0, 0.05, 0.1, 0.2]

/** How often a strict gate accepts, when every attempt is an independent draw and the current skill solves 70%. */
export function gateRows(): string[] {
  return counts.map(count => {
    const current = binomial(count, currentShare)
    const chances = differences.map(difference => {
      const candidate = binomial(count, currentShare + difference)
      let below = 0
      let accepted = 0
      for (let solved = 0; solved <= count; solved++) {
        accepted += (candidate[solved] ?? 0) * below
        below += current[solved] ?? 0
      }
      return accepted
    })
    return row([String(count), ...chances.map(percent)])
  })
}

/** Tasks needed to see a gain in pairs, at 95% confidence and 80% power, if 5% of the tasks are lost by the way. */
export function gainRows(): string[] {
  const lost = 0.05
  return [0.2, 0.1, 0.05, 0.02].map(gain => {
    const changed = gain + 2 * lost
    const needed = Math.ceil(((1.959964 + 0.841621) ** 2 * (changed - gain ** 2)) / gain ** 2)
    return row([`${Math.round(100 * gain)} points`, needed.toLocaleString('en-US')])
  })
}

/** Probabilities of 0..count successes. */
function binomial(count: number, share: number): number[] {
  let chances = [1]
  for (let task = 0; task < count; task++) {
    chances = [...chances, 0].map(
      (chance, solved) => chance * (1 - share) + (chances[solved - 1] ?? 0) * share,
    )
  }
  return chances
}

const percent = (share: number) => `${Math.round(100 * share)}%`
const trimmed = (value: number) => String(Number(value.toFixed(1)))
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
