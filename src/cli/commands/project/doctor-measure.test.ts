import { expect, it } from 'vitest'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { exitCodes } from '../../../core/errors/errors.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

it.each([
  [['--gate', '--judge', 'labels.csv'], '--gate and --judge are measured one at a time.'],
  [['--gate', '--online'], '--online belongs to the plain check: leave out --gate and --judge.'],
  [['--gain', '5'], '--gain works only with --gate.'],
  [['--judge', 'labels.csv', '--samples', '3'], '--samples works only with --gate.'],
  [['--gate', '--part', 'tone'], '--part works only with --judge.'],
  [['--json'], '--json works only with --gate or --judge: the plain check spends nothing.'],
  [['--max-cost', '2'], '--max-cost works only with --gate or --judge: the plain check spends nothing.'],
])('doctor refuses %j with one sentence', async (argv, message) => {
  const io = fakeIo<Library>()
  expect(await main(['doctor', ...argv], io)).toBe(exitCodes.badInput)
  expect(io.err()).toBe(`error: ${message}\nskillopt doctor --help\n`)
})
