import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { realSandbox, sandboxWorks } from '../../test/support/real-sandbox.js'
import type { Sandbox, SandboxLimits } from '../core/ports/sandbox.js'
import { createBubblewrap } from './bubblewrap.js'

/**
 * Python keeps its locks, queues and shared memory in /dev/shm, so ordinary multi-process programs need it.
 */

const limits: SandboxLimits = {
  seconds: 20,
  memoryMegabytes: 256,
  processes: 24,
  fileMegabytes: 200,
  diskMegabytes: 32,
  outputCharacters: 5000,
}
const works = process.platform === 'linux' && (await sandboxWorks('The tests of shared memory'))

let folder: string
let workspace: string
/** A bubblewrap that cannot limit a file system, as before version 0.7. */
let older: Sandbox
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-shared-'))
  await chmod(folder, 0o755)
  await mkdir(join(folder, 'older'))
  const refuses = 'case "$*" in *--size*) echo "bwrap: Unknown option --size" >&2; exit 1;; esac'
  await writeFile(join(folder, 'older/bwrap'), `#!/bin/sh\n${refuses}\nexec /usr/bin/bwrap "$@"\n`, {
    mode: 0o755,
  })
  older = createBubblewrap([join(folder, 'older'), '/usr/bin', '/bin'])
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
beforeEach(async () => {
  workspace = await mkdtemp(join(folder, 'work-'))
})

function python(code: string, sandbox: Sandbox = realSandbox) {
  const job = { workspace, limits, signal: new AbortController().signal }
  return sandbox.run(['python3', '-c', code], job)
}

const parallel = `import concurrent.futures, multiprocessing
from multiprocessing import shared_memory
def square(x): return x * x
def put(queue, value):
  with value.get_lock(): value.value += 1
  queue.put("sent")
if __name__ == "__main__":
  with multiprocessing.Pool(3) as pool: print(pool.map(square, range(4)))
  with concurrent.futures.ProcessPoolExecutor(2) as pool: print(list(pool.map(square, range(4))))
  queue, value = multiprocessing.Queue(), multiprocessing.Value("i", 0)
  child = multiprocessing.Process(target=put, args=(queue, value)); child.start()
  print(queue.get(timeout=10)); child.join(); print(value.value, list(multiprocessing.Array("d", 2)))
  block = shared_memory.SharedMemory(create=True, size=1000000); block.buf[999999] = 7
  same = shared_memory.SharedMemory(name=block.name); print(same.buf[999999])
  same.close(); block.close(); block.unlink()`

describe.runIf(works)('shared memory in the sandbox', () => {
  it.each([
    ['this bubblewrap', () => realSandbox],
    ['an older bubblewrap', () => older],
  ])('runs Python programs of several processes: %s', async (_name, sandbox) => {
    const result = await python(parallel, sandbox())
    expect(result.stdout).toBe('[0, 1, 4, 9]\n[0, 1, 4, 9]\nsent\n1 [0.0, 0.0]\n7\n')
    expect(result.exitCode).toBe(0)
    expect(await readdir(workspace)).toEqual([])
  })

  it('is neither seen on this machine nor sees what is there', async () => {
    const outside = `skillopt-shared-${process.pid}`
    const planted = `planted-${basename(workspace)}`
    await writeFile(join('/dev/shm', outside), 'outside')
    try {
      const code = `import os; print(os.listdir("/dev/shm")); open("/dev/shm/${planted}", "w").write("x")`
      expect(await python(code)).toMatchObject({ exitCode: 0, stdout: '[]\n' })
      expect(existsSync(join('/dev/shm', planted))).toBe(false)
    } finally {
      await rm(join('/dev/shm', outside))
    }
  })

  it('holds no more than 64 MB, in files without names as well', async () => {
    const code = `import os
total = 0
held = []
while True:
  held.append(open("/dev/shm/f", "wb", buffering=0)); os.unlink("/dev/shm/f")
  total += held[-1].write(b"x" * (1 << 20)); print(total >> 20, flush=True)`
    const { stdout, stderr } = await python(code)
    expect(stderr).toContain('No space left on device')
    expect(Number(stdout.trim().split('\n').at(-1))).toBeLessThanOrEqual(64)
  })

  it('holds no endless number of files', async () => {
    const code = 'i = 0\nwhile True:\n  open(f"/dev/shm/e{i}", "w").close(); i += 1'
    expect(await python(code)).toMatchObject({ exitCode: 137, stderr: expect.stringContaining('stopped it') })
  })

  it('gives no program from there the rights of its owner', async () => {
    const code = 'import os; print(os.statvfs("/dev/shm").f_flag & os.ST_NOSUID > 0)'
    expect((await python(code)).stdout).toBe('True\n')
  })
})
