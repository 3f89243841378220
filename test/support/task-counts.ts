import { wilsonInterval } from '../../src/core/statistics/intervals.js'
import { acceptProbability, tasksToDetectGain } from '../../src/core/statistics/power.js'

/** The figures of docs/how-many-tasks.md, as rows of its tables. */

const counts = [10, 20, 50, 100, 200, 500]

/** The 95% confidence interval of a score, by number of tasks. */
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

/** Accept rate of a strict gate, if every attempt is an independent draw and the current skill solves 70%. */
export function gateRows(): string[] {
  return counts.map(count => {
    const chances = differences.map(difference =>
      acceptProbability(count, currentShare, currentShare + difference),
    )
    return row([String(count), ...chances.map(percent)])
  })
}

/** Tasks needed to detect a gain in pairs, at 95% confidence and 80% power, if 5% of the tasks get worse. */
export function gainRows(): string[] {
  return [0.2, 0.1, 0.05, 0.02].map(gain =>
    row([`${Math.round(100 * gain)} points`, tasksToDetectGain(gain).toLocaleString('en-US')]),
  )
}

const percent = (share: number) => `${Math.round(100 * share)}%`
const trimmed = (value: number) => String(Number(value.toFixed(1)))
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
