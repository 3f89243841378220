import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type LoopbackServer, startLoopbackServer } from '../../src/testing/index.js'
import { jsonOf, skillopt, temporaryFolder, textOf } from '../end-to-end/support.js'
import { timeLimit } from '../support/time-limit.js'
import { canary, deskModel, roleOf, rule, skillName, writeDesk } from './asking.js'
import type { AgentKit } from './kit.js'
import { completed, offeredTools } from './model.js'
import type { Actor } from './stage.js'

/** A person with a subscription and no key: one agent is target, optimizer and judge. */
export function rolesSuite(actor: Actor): void {
  const { kit } = actor

  it('a training with one agent in every role', { timeout: timeLimit(400_000) }, async context => {
    const folder = await temporaryFolder()
    const { respond } = deskModel()
    const server = await startLoopbackServer({ respond: completed(kit, respond), keepLog: true })
    context.onTestFinished(() => server.close())
    const where = await writeDesk(folder, actor, { endpoint: kit.endpoint(server.url) })
    const run = join(folder, 'run')
    const trained = await skillopt(['train', '.', '--trust', '--out', run, '--yes'], where)
    expect(trained, trained.stdout + trained.stderr).toMatchObject({ code: 0 })
    expect(await textOf(run, 'best_skill.md')).toContain(rule)
    const { tests } = await jsonOf(run, 'summary.json')
    expect(tests).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ which: 'initial', hard: 0 }),
        expect.objectContaining({ which: 'best', hard: 1 }),
      ]),
    )
    expectApart(kit, server)
  })
}

/**
 * Expects that this agent was asked as optimizer and judge without tools and without data from other roles.
 */
export function expectApart({ userAgent }: AgentKit, { log }: LoopbackServer): void {
  const asked = log.flatMap(({ headers, body, received }) =>
    body === null ? [] : [{ role: roleOf(body), body, sent: JSON.stringify(received ?? body), headers }],
  )
  for (const { headers } of asked) expect(headers.userAgent).toMatch(userAgent)
  const judging = asked.filter(({ role }) => role === 'judge')
  const improving = asked.filter(({ role }) => role === 'optimizer')
  expect(judging.length).toBeGreaterThan(5)
  expect(improving.length).toBeGreaterThan(0)
  for (const { body, sent } of [...judging, ...improving]) {
    expect(offeredTools(body)).toEqual([])
    expect(sent).not.toContain(canary)
    expect(sent).not.toContain(`skills/${skillName}`)
  }
  // The optimizer gets the skill as the document to edit; the judge must not see it.
  for (const { sent } of judging) expect(sent).not.toContain(skillName)
}
