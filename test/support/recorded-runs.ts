import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunEvent } from '../../src/core/log/event.js'
import { createRunLibrary } from '../../src/dashboard/server/runs/library.js'
import type { LiveRun } from '../../src/dashboard/server/runs/types.js'
import { openDiskStore } from '../../src/store/disk.js'
import type { Setup } from '../../src/trainer/loops/setup.js'
import { train } from '../../src/trainer/loops/steps.js'
import { worldRun } from '../world.js'
import { writeRun } from './dashboard.js'
import type { LogBuilder } from './sample-run.js'

/** Runs on disk, as seen by the dashboard's server. */
export async function makeRecordedRuns() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-recorded-')))
  const closing = new AbortController()
  const env = { HOME: join(root, 'person'), SKILLOPT_HOME: join(root, 'kept') }
  const folder = join(root, 'runs')
  const library = createRunLibrary({ cwd: root, folders: [folder], env, signal: closing.signal })

  const opened = async (name: string): Promise<LiveRun> => {
    const found = (await library.list()).find(({ directory }) => directory === join('runs', name))
    if (found === undefined) throw new Error(`The library does not list ${name}.`)
    return library.open(found.id)
  }
  return {
    async add(name: string, log: LogBuilder): Promise<LiveRun> {
      await writeRun(join(folder, name), log)
      return opened(name)
    },
    /** Runs a real training, so that the loop writes the log. */
    async train(name: string, setup: Setup): Promise<{ run: LiveRun; events: readonly RunEvent[] }> {
      const store = await openDiskStore(join(folder, name))
      const { run, events } = worldRun(setup, store)
      await train(run, setup)
      await store.flush()
      await store.close()
      return { run: await opened(name), events }
    },
    async end(): Promise<void> {
      closing.abort()
      await library.close()
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export type RecordedRuns = Awaited<ReturnType<typeof makeRecordedRuns>>
