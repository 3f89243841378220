import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startLoopbackServer } from '../../src/testing/index.js'
import { eventsOf, ofType, skillopt, temporaryFolder, textOf } from '../end-to-end/support.js'
import { timeLimit } from '../support/time-limit.js'
import { deskModel, rule, writeDesk } from './asking.js'
import type { AgentKit } from './kit.js'
import { completed } from './model.js'
import { expectApart } from './roles.js'
import type { Actor } from './stage.js'

/** The limit is reached after this many answers, in the middle of a training. */
const answersAllowed = 3

/**
 * Reaching a subscription's limit neither scores nor restarts anything: the run waits until the limit
 * resets.
 */
export function limitsSuite(
  actor: Actor,
  { error, words, subscription }: NonNullable<AgentKit['limit']>,
): void {
  const { kit } = actor

  it('a training with one agent in every role waits until the limit of a subscription is over', {
    timeout: timeLimit(400_000),
  }, async context => {
    const folder = await temporaryFolder()
    const { respond, answered } = deskModel()
    let isLimitOver = false
    const server = await startLoopbackServer({
      keepLog: true,
      respond: completed(kit, request =>
        isLimitOver || answered.length < answersAllowed ? respond(request) : { error },
      ),
    })
    context.onTestFinished(() => server.close())
    const { endpoint, env } = subscription(server.url)
    const desk = await writeDesk(folder, actor, {
      ...(endpoint === undefined ? {} : { endpoint }),
      concurrency: 2,
    })
    const { PATH, HOME } = desk.env
    const where = { cwd: folder, env: { PATH, HOME, ...env } }
    const command = ['train', '.', '--trust', '--out', 'run', '--yes']

    const paused = await skillopt(command, where)
    expect(paused, paused.stdout + paused.stderr).toMatchObject({ code: 3 })
    expect(paused.stderr).toMatch(words)
    expect(paused.stderr).toContain('Wait until the limit resets')
    expect(paused.stderr).toContain('then rerun the same command to resume')
    const before = [...answered]
    expect(before).toHaveLength(answersAllowed)
    const failures = ofType(await eventsOf(join(folder, 'run')), 'call.failed')
    expect(new Set(failures.map(({ body }) => body.kind))).toEqual(new Set(['quota']))

    const again = await skillopt(command, where)
    expect(again).toMatchObject({ code: 3 })
    expect(answered).toEqual(before)

    isLimitOver = true
    const finished = await skillopt(command, where)
    expect(finished, finished.stdout + finished.stderr).toMatchObject({ code: 0 })
    expect(await textOf(join(folder, 'run'), 'best_skill.md')).toContain(rule)
    expect(answered.slice(answersAllowed).filter(answer => before.includes(answer))).toEqual([])
    expectApart(kit, server)
  })
}
