import { join } from 'node:path'
import { expect } from 'vitest'
import type { LoopbackServer } from '../../src/testing/index.js'
import { key, parcelServer, resultOf, skillopt, start, temporaryFolder, writeProject } from './support.js'

/** A project whose training has run undisturbed once, in `straight`, to compare stopped runs with. */
export interface StraightTraining {
  readonly cwd: string
  readonly server: LoopbackServer
  readonly straight: Awaited<ReturnType<typeof resultOf>>
  readonly straightCalls: number
  train(out: string, ...more: string[]): ReturnType<typeof skillopt>
  /** The run directory of that name. */
  run(out: string): string
  /** Stops a training when its output matches, with calls in flight. */
  stopAt(out: string, moment: RegExp, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): ReturnType<typeof skillopt>
}

export async function trainStraight(): Promise<StraightTraining> {
  const cwd = await temporaryFolder()
  const server = await parcelServer({ keepLog: true })
  await writeProject(join(cwd, 'project'), { endpoint: server.url })
  const args = (out: string) => ['train', 'project', '--out', out, '--yes']
  const train = (out: string, ...more: string[]) => skillopt([...args(out), ...more], { cwd, env: key })
  const run = (out: string) => join(cwd, out)
  expect(await train('straight')).toMatchObject({ code: 0, stderr: '' })
  return {
    cwd,
    server,
    straight: await resultOf(run('straight')),
    straightCalls: server.counters.requests,
    train,
    run,
    async stopAt(out, moment, signal) {
      const process = start(args(out), { cwd, env: key })
      server.setLatency({ kind: 'fixed', milliseconds: 20 })
      await process.says(moment)
      process.child.kill(signal)
      const finished = await process.finished
      server.setLatency({ kind: 'none' })
      return finished
    },
  }
}
