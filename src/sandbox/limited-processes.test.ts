import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { SandboxLimits } from '../core/ports/sandbox.js'
import { type CgroupPlace, createMemoryCgroup } from './cgroup.js'
import { createLimitedProcesses, type LimitedProcesses } from './limited-processes.js'

/** Uses a real process instead of a sandbox's first one, and a folder instead of the kernel's groups. */

const limits: SandboxLimits = {
  seconds: 20,
  memoryMegabytes: 64,
  processes: 8,
  fileMegabytes: 1,
  outputCharacters: 1000,
}
const result = { exitCode: 137, stdout: '', stderr: '', timedOut: false, truncated: false }
const isLinux = process.platform === 'linux'

let mount: string
let child: ChildProcess
beforeEach(async () => {
  mount = await mkdtemp(join(tmpdir(), 'skillopt-limited-'))
  await mkdir(join(mount, 'slice/own'), { recursive: true })
  await writeFile(join(mount, 'slice/cgroup.subtree_control'), 'memory\n')
  const code = 'import time; held = b"x" * (200 << 20); print("held", flush=True); time.sleep(600)'
  child = spawn('python3', ['-c', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise(resolve => child.stdout?.once('data', resolve))
})
afterEach(async () => {
  child.kill('SIGKILL')
  await rm(mount, { recursive: true, force: true })
})

const place = (): CgroupPlace => ({ mount, own: '/slice/own' })
const report = () => `{ "child-pid": ${child.pid} }`

it.runIf(isLinux)(
  'leaves memory to the group where there is one, and says what it was killed for',
  async () => {
    const cut = vi.fn()
    const processes = createLimitedProcesses(limits, 1000, bytes => createMemoryCgroup(bytes, place()))
    await processes.begin(report(), process.pid, cut)
    const [name = ''] = (await readdir(join(mount, 'slice'))).filter(entry => entry.startsWith('skillopt-'))
    const inGroup = (file: string) => join(mount, 'slice', name, file)
    expect(await readFile(inGroup('memory.max'), 'utf8')).toBe(String(64 * 1024 * 1024 + 1000))
    expect(await readFile(inGroup('cgroup.procs'), 'utf8')).toBe(String(child.pid))
    await writeFile(inGroup('memory.events'), 'oom_kill 1\n')
    expect((await processes.judged(result)).stderr).toContain('more than 64 MB of memory')
    await processes.end()
    expect(cut).not.toHaveBeenCalled()
  },
)

it.runIf(isLinux)('measures memory if there is no group', async () => {
  await expectMeasured(createLimitedProcesses(limits, 0, async () => undefined))
})

it.runIf(isLinux)('measures memory where processes may not be moved into the group', async () => {
  const remove = vi.fn(async () => {})
  const refusing = { add: async () => false, wasExceeded: async () => true, remove }
  const processes = createLimitedProcesses(limits, 0, async () => refusing)
  await expectMeasured(processes)
  expect(remove).toHaveBeenCalledOnce()
  // Events of a group without these processes do not concern them.
  expect(await processes.judged(result)).toEqual(result)
})

async function expectMeasured(processes: LimitedProcesses): Promise<void> {
  const reasons: string[] = []
  const [, stop] = await processes.begin(report(), process.pid, reason => reasons.push(reason))
  await expect.poll(() => reasons.join()).toContain('more than 64 MB of memory')
  stop()
  await processes.end()
}
