import { count } from '../../parts/format.js'

/** Tick intervals for an axis of steps or tasks, which come in whole numbers. */
export const wholeSteps: readonly number[] = [1, 2, 5]
  .flatMap(digit => Array.from({ length: 7 }, (_, power) => digit * 10 ** power))
  .sort((one, other) => one - other)

/** Where ticks cannot be chosen, those at fractions get no label. */
export const wholeOnly = (value: number): string => (Number.isInteger(value) ? count(value) : '')
