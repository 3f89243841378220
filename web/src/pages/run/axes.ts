import { count } from '../../parts/format.js'

/** Distances between ticks on an axis of steps or tasks, which are whole numbers. */
export const wholeSteps: readonly number[] = [1, 2, 5]
  .flatMap(digit => Array.from({ length: 7 }, (_, power) => digit * 10 ** power))
  .sort((one, other) => one - other)

/** Label of a tick on an axis of whole numbers. A tick at a fraction gets none. */
export const wholeOnly = (value: number): string => (Number.isInteger(value) ? count(value) : '')
