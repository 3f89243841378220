import { expect, it } from 'vitest'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { exitCodes } from '../../../core/errors/errors.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

it.each([
  [['--gate', '--judge', 'labels.csv'], '--gate and --judge cannot be combined; measure one at a time.'],
  [['--gate', '--online'], '--online cannot be combined with --gate or --judge.'],
  [['--gain', '5'], '--gain requires --gate.'],
  [['--judge', 'labels.csv', '--samples', '3'], '--samples requires --gate.'],
  [['--gate', '--part', 'tone'], '--part requires --judge.'],
  [['--json'], '--json requires --gate or --judge; the plain check costs nothing.'],
  [['--max-cost', '2'], '--max-cost requires --gate or --judge; the plain check costs nothing.'],
])('doctor refuses %j with one sentence', async (argv, message) => {
  const io = fakeIo<Library>()
  expect(await main(['doctor', ...argv], io)).toBe(exitCodes.badInput)
  expect(io.err()).toBe(`error: ${message}\nskillopt doctor --help\n`)
})
