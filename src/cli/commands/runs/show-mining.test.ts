import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { miningCluster, sessionRequest } from '../../../../test/support/mining-cluster.js'
import { worldSetup } from '../../../../test/world.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { inSession } from '../../../session/session.js'
import { mineTasks } from '../../../sleep/mining/mine-all.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

const cwd = await mkdtemp(join(tmpdir(), 'skillopt-show-mining-'))
afterAll(() => rm(cwd, { recursive: true }))

it('shows the results of a mining run, without tasks, epochs or a skill', async () => {
  const world = await worldSetup({ sizes: { train: 1, val: 1, test: 1 } })
  const text = JSON.stringify({ intent: 'Write notes.', rubric: ['They are whole.'] })
  const generate = async () => ({ text, stop: 'stop', usage: { input: 1, output: 1 } }) as const
  const setup = { ...world, models: { ...world.models, optimizer: { ...world.models.optimizer, generate } } }
  const identity = { kind: 'mine', name: 'shop', sources: {}, epochs: 0, stepsPerEpoch: 0 } as const
  await inSession(setup, { directory: join(cwd, 'runs', 'shop-001'), identity }, run =>
    mineTasks(run, [miningCluster('notes', [sessionRequest('Write the notes.')])], {
      prompts: setup.prompts,
      lanes: 1,
      checkProblem: () => undefined,
    }),
  )
  const io = fakeIo<Library>({ cwd })
  expect([await main(['show', 'shop-001'], io), io.err()]).toEqual([exitCodes.ok, ''])
  expect(io.out()).toMatch(/^shop .*finished/)
  expect(io.out()).toContain('\n1 task written\n')
  expect(io.out()).not.toMatch(/epoch|skill of|validation/)
  expect(io.out()).toMatch(/^optimizer +1 /m)
})
