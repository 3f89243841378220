/** What every environment must keep, and what is special about this one: node --test environment.test.mjs */
import assert from 'node:assert/strict'
import test from 'node:test'
import { environmentChecks, projectEnvironment, said } from 'skillopt/testing'

// With the options of the skillopt.yaml that lies beside this file.
const { create, context } = await projectEnvironment(import.meta.dirname)

const checks = environmentChecks({
  create,
  context,
  // An answer that deserves the full score.
  solve: ({ expected }) => `<answer>${expected} kg</answer>`,
})
for (const { name, run } of checks) test(name, run)

test('a weight without its unit gets a part of the score', async () => {
  const environment = await create()
  const [task] = await environment.tasks('train')
  const { hard, soft, feedback } = await environment.score(
    task,
    said(`<answer>${task.expected}</answer>`),
    context,
  )
  assert.deepEqual([hard, soft], [0, 0.8])
  assert.match(feedback, /Expected ".* kg"/)
})
