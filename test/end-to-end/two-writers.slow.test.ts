import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { LoopbackServer } from '../../src/testing/index.js'
import {
  eventsOf,
  type Finished,
  jsonOf,
  key,
  ofType,
  parcelServer,
  resultOf,
  skillopt,
  start,
  temporaryFolder,
  textOf,
  writeProject,
} from './support.js'

/** Two processes never write one run, also where somebody kills the owner and deletes the lock file. */

let cwd: string
let server: LoopbackServer
let straight: Awaited<ReturnType<typeof resultOf>>
let straightCalls: number

const args = (out: string) => ['train', 'project', '--out', out, '--yes']
const train = (out: string) => skillopt(args(out), { cwd, env: key })
const run = (out: string) => join(cwd, out)
const deleteLock = (out: string) => rm(join(run(out), 'lock.json'), { force: true })

beforeAll(async () => {
  cwd = await temporaryFolder()
  server = await parcelServer()
  await writeProject(join(cwd, 'project'), { endpoint: server.url })
  expect(await train('straight')).toMatchObject({ code: 0, stderr: '' })
  straight = await resultOf(run('straight'))
  straightCalls = server.counters.requests
})

/** The log has every event once, in order, and no torn line; no finished call is in it twice. */
async function expectWholeLog(out: string): Promise<void> {
  const text = await textOf(run(out), 'events.jsonl')
  expect(text.endsWith('\n')).toBe(true)
  const events = await eventsOf(run(out))
  expect(events.map(event => event.seq)).toEqual([...events.keys()])
  const finished = ofType(events, 'call.finished')
  expect(new Set(finished.map(event => event.key)).size).toBe(finished.length)
  expect(finished).toHaveLength(straightCalls)
}

const isRefused = ({ code, stderr }: Finished) =>
  code !== 0 && /works on|in use|another process/i.test(stderr)

// Elsewhere there is no lock of the operating system, so a deleted file is a free directory.
it.runIf(process.platform === 'linux')(
  'refuses a second writer while the first lives, also after its lock file is deleted',
  async () => {
    const before = server.counters.requests
    server.setLatency({ kind: 'fixed', milliseconds: 20 })
    const first = start(args('deleted'), { cwd, env: key })
    await first.says(/step 2\/4/)
    // Long enough for three processes to start while its calls are in flight.
    server.setLatency({ kind: 'fixed', milliseconds: 8_000 })
    const second = await train('deleted')
    expect(isRefused(second), second.stderr).toBe(true)
    await deleteLock('deleted')
    const rivals = await Promise.all([train('deleted'), train('deleted')])
    expect(first.child.exitCode).toBeNull()
    for (const rival of rivals) expect(isRefused(rival), rival.stderr).toBe(true)
    server.setLatency({ kind: 'none' })
    expect(await first.finished).toMatchObject({ code: 0 })
    expect(await resultOf(run('deleted'))).toEqual(straight)
    expect(server.counters.requests - before).toBe(straightCalls)
    await expectWholeLog('deleted')
  },
)

it('lets exactly one of two go on after the owner is killed and its lock file deleted', async () => {
  const before = server.counters.requests
  server.setLatency({ kind: 'fixed', milliseconds: 20 })
  const owner = start(args('killed'), { cwd, env: key })
  await owner.says(/step 2\/4/)
  owner.child.kill('SIGKILL')
  // The lock file is deleted before the process is known to be gone.
  await deleteLock('killed')
  const rivals = [start(args('killed'), { cwd, env: key }), start(args('killed'), { cwd, env: key })]
  const ends = await Promise.all(rivals.map(({ finished }) => finished))
  server.setLatency({ kind: 'none' })
  await owner.finished
  // A rival that came while the killed process was still dying, or after the other had finished, is fine too.
  const refused = ends.filter(isRefused)
  expect(
    ends.every(end => end.code === 0 || isRefused(end)),
    JSON.stringify(ends),
  ).toBe(true)
  if (refused.length === 2) expect(await train('killed')).toMatchObject({ code: 0 })
  expect(await resultOf(run('killed'))).toEqual(straight)
  const { callsLost } = (await jsonOf(run('killed'), 'summary.json')).trouble
  expect(server.counters.requests - before).toBeLessThanOrEqual(straightCalls + callsLost)
  expect(callsLost).toBeLessThanOrEqual(16)
  await expectWholeLog('killed')
})
