import { count } from '../../parts/format.js'

/** How far apart the marks of an axis of steps or tasks may be: there is no half of one. */
export const wholeSteps: readonly number[] = [1, 2, 5]
  .flatMap(digit => Array.from({ length: 7 }, (_, power) => digit * 10 ** power))
  .sort((one, other) => one - other)

/** Where the marks cannot be chosen, those between two whole numbers are left without words. */
export const wholeOnly = (value: number): string => (Number.isInteger(value) ? count(value) : '')
