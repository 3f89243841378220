import type { AttemptRow, AttemptTable } from '../../src/dashboard/server/runs/types.js'

/** A hand-made table of attempts. Its search finds tasks by name. */
export function tableOf(rows: readonly Partial<AttemptRow>[]): AttemptTable {
  const whole = rows.map((given, index): AttemptRow => {
    const row: AttemptRow = {
      seq: index * 10,
      at: index,
      stage: 'rollout',
      epoch: 1,
      step: 1,
      skill: 'a',
      task: 't',
      type: 'sum',
      sample: 0,
      status: 'scored',
      hard: 0,
      soft: given.hard ?? 0,
      stop: 'answered',
      failure: undefined,
      cached: false,
      ...given,
    }
    return row.status === 'failed' ? { ...row, hard: 0, soft: 0, stop: undefined } : row
  })
  return {
    length: whole.length,
    row(index) {
      const row = whole[index]
      if (row === undefined) throw new RangeError(`There is no row ${index}.`)
      return row
    },
    search: async (words, most) => {
      const found = whole.flatMap(({ task }, index) => (task.includes(words) ? [index] : []))
      return { found: found.slice(0, most), isWhole: found.length <= most }
    },
  }
}
