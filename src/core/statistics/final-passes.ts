/** Small splits are run several times in a final test, until there are about so many pairs. */
const enoughPairs = 120

/** How often the final test of a training may run each validation task under both skills. */
export function finalPasses(tasks: number): number {
  return Math.max(1, Math.min(6, Math.ceil(enoughPairs / Math.max(1, tasks))))
}
