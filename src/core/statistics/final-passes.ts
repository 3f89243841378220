/** The final test repeats small splits until it has about this many pairs. */
const enoughPairs = 120

/** Maximum passes of a training's final test over the validation tasks under both skills. */
export function finalPasses(tasks: number): number {
  return Math.max(1, Math.min(6, Math.ceil(enoughPairs / Math.max(1, tasks))))
}
