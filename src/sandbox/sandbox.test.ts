import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { realSandbox, sandboxWorks } from '../../test/support/real-sandbox.js'
import { timeLimit } from '../../test/support/time-limit.js'
import { WorldFailure } from '../core/errors/errors.js'
import type { Sandbox, SandboxJob, SandboxLimits } from '../core/ports/sandbox.js'
import { createBubblewrap } from './bubblewrap.js'
import { createSandbox } from './index.js'

const limits: SandboxLimits = {
  seconds: 20,
  memoryMegabytes: 256,
  processes: 16,
  fileMegabytes: 4,
  outputCharacters: 10_000,
}

let folder: string
let workspace: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-sandbox-'))
  await chmod(folder, 0o755)
})
beforeEach(async () => {
  workspace = await mkdtemp(join(folder, 'work-'))
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

const never = new AbortController().signal
const jobOf = (changed: Partial<SandboxJob> = {}): SandboxJob => ({
  workspace,
  limits,
  signal: never,
  ...changed,
})

const bubblewrap = realSandbox
const works = await sandboxWorks('The tests of the sandbox')

const python = (code: string, changed: Partial<SandboxJob> = {}) =>
  bubblewrap.run(['python3', '-c', code], jobOf(changed))

/** Number of processes on this machine with the word among their arguments. */
async function processesWith(word: string): Promise<number> {
  const ids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const lines = await Promise.all(ids.map(id => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter(line => line.includes(word)).length
}

describe.runIf(works)('bubblewrap', () => {
  it('runs a program in the workspace, with input, and gives back what it said and left', async () => {
    await writeFile(join(workspace, 'given.txt'), 'seven')
    const result = await python(
      'import sys; given = open("given.txt").read(); open("left.txt", "w").write(given.upper()); print(sys.stdin.read(), end=""); print("oops", file=sys.stderr); sys.exit(3)',
      { stdin: 'piped' },
    )
    expect(result).toEqual({
      exitCode: 3,
      stdout: 'piped',
      stderr: 'oops\n',
      timedOut: false,
      truncated: false,
    })
    expect(await readFile(join(workspace, 'left.txt'), 'utf8')).toBe('SEVEN')
  })

  it('takes arguments as they are: no shell reads them', async () => {
    const { stdout } = await bubblewrap.run(['echo', '$HOME; ls `pwd` *'], jobOf())
    expect(stdout).toBe('$HOME; ls `pwd` *\n')
  })

  it('has no network, not even to this machine', async () => {
    const server = createServer(socket => socket.end('reached'))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    try {
      const code = `import socket\ntry:\n  print(socket.create_connection(("127.0.0.1", ${port}), 2).recv(9))\nexcept OSError as e:\n  print("no network", e.errno)`
      expect((await python(code)).stdout).toMatch(/^no network/)
    } finally {
      await new Promise(resolve => server.close(resolve))
    }
  })

  it('reads neither the home folder nor files beside the workspace', async () => {
    await writeFile(join(folder, 'secret.txt'), 'the key')
    const paths = [homedir(), folder, join(folder, 'secret.txt'), '/etc/passwd', '/root', '/home', '/var']
    await symlink(join(folder, 'secret.txt'), join(workspace, 'link'))
    const code = `import os\nfor path in ${JSON.stringify([...paths, 'link', '../secret.txt'])}:\n  print(path, os.path.exists(path))`
    const { stdout } = await python(code)
    expect(stdout.match(/False$/gm)).toHaveLength(paths.length + 2)
  })

  it('writes nowhere but in shared memory and the workspace, which also stands at /tmp', async () => {
    const code = `for path in ["/x", "/usr/x", "/etc/x", "/dev/x", "/dev/shm/x", "/opt/x", "/tmp/in-tmp", "in-workspace"]:
  try:
    open(path, "w").close(); print("wrote", path)
  except OSError as e:
    print("refused", path)`
    const { stdout } = await python(code)
    expect(stdout.match(/^wrote .*/gm)).toEqual([
      'wrote /dev/shm/x',
      'wrote /tmp/in-tmp',
      'wrote in-workspace',
    ])
    expect((await readdir(workspace)).sort()).toEqual(['in-tmp', 'in-workspace'])
  })

  it('knows four variables and none of ours', async () => {
    process.env.SANDBOX_TEST_SECRET = 'sk-1234'
    try {
      const { stdout } = await bubblewrap.run(['env'], jobOf())
      const names = stdout
        .trim()
        .split('\n')
        .map(line => line.split('=')[0])
      expect(names.sort()).toEqual(['HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR'])
    } finally {
      delete process.env.SANDBOX_TEST_SECRET
    }
  })

  it('sees no process of the machine, and has no rights of root', async () => {
    const code = `import os\nprint(len([p for p in os.listdir("/proc") if p.isdigit()]) < 6, "CapEff:\\t0000000000000000" in open("/proc/self/status").read())`
    expect((await python(code)).stdout).toBe('True True\n')
  })

  it('kills everything at the time limit, grandchildren in sessions of their own too', async () => {
    const word = `sleeper-${process.pid}-${Date.now()}`
    const grandchild = `import os, time; os.setsid(); time.sleep(600) # ${word}`
    const code = `import subprocess, sys, time\nsubprocess.Popen([sys.executable, "-c", """${grandchild}"""])\nprint("started", flush=True)\ntime.sleep(600)`
    const before = Date.now()
    const result = await python(code, { limits: { ...limits, seconds: 1.5 } })
    expect(result).toMatchObject({ exitCode: undefined, timedOut: true, stdout: 'started\n' })
    expect(Date.now() - before).toBeLessThan(timeLimit(15_000))
    await expect.poll(() => processesWith(word)).toBe(0)
  })

  it('leaves nothing behind when the program ends before its children', async () => {
    const word = `orphan-${process.pid}-${Date.now()}`
    const code = `import subprocess, sys\nsubprocess.Popen([sys.executable, "-c", "import time; time.sleep(600) # ${word}"])`
    expect((await python(code)).exitCode).toBe(0)
    await expect.poll(() => processesWith(word)).toBe(0)
  })

  it('ends at once when the run is stopped', async () => {
    const stop = new AbortController()
    const running = python('import time; time.sleep(600)', { signal: stop.signal })
    setTimeout(() => stop.abort(new Error('stopped by the user')), 300)
    await expect(running).rejects.toThrow('stopped by the user')
  })

  it('limits memory, processes, files and output', async () => {
    const memory = await python('x = bytearray(400 * 1024 * 1024)')
    expect(memory).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('MemoryError') })

    const bomb = `import os, time
started = 0
try:
  while started < 500:
    if os.fork() == 0:
      time.sleep(600)
    started += 1
except OSError:
  pass
print(started, flush=True)
os._exit(0)`
    const forked = await python(bomb)
    expect(Number(forked.stdout)).toBeGreaterThan(3)
    expect(Number(forked.stdout)).toBeLessThanOrEqual(limits.processes)

    const large = await python('open("large", "wb").write(b"x" * 8 * 1024 * 1024)')
    expect(large.exitCode).not.toBe(0)

    const loud = await python('print("a" * 500000 + "the end")')
    expect(loud).toMatchObject({ exitCode: 0, truncated: true })
    expect(loud.stdout).toHaveLength(limits.outputCharacters)
    expect(loud.stdout).toMatch(/the end\n$/)
  })

  it('shows further folders read-only, and finds programs in their bin', async () => {
    const tools = join(folder, 'tools')
    await mkdir(join(tools, 'bin'), { recursive: true })
    await writeFile(join(tools, 'bin', 'my-check'), '#!/bin/sh\ncat "$0" | wc -l\ntouch "$0.x" || exit 9\n', {
      mode: 0o755,
    })
    expect(await bubblewrap.has('my-check')).toBe(false)
    expect(await bubblewrap.has('my-check', [tools])).toBe(true)
    const result = await bubblewrap.run(['my-check'], jobOf({ readOnly: [tools] }))
    expect(result).toMatchObject({ exitCode: 9, stdout: '3\n' })
    await expect(bubblewrap.has('true', ['/'])).rejects.toThrow('home folder')
    await expect(bubblewrap.run(['true'], jobOf({ readOnly: ['/'] }))).rejects.toThrow('home folder')
    await expect(bubblewrap.run(['true'], jobOf({ readOnly: [homedir()] }))).rejects.toThrow('home folder')
  })

  it('runs a file of the workspace, and says when there is no such program', async () => {
    await writeFile(join(workspace, 'mine.sh'), '#!/bin/sh\nexit 4\n', { mode: 0o755 })
    expect((await bubblewrap.run(['./mine.sh'], jobOf())).exitCode).toBe(4)
    for (const program of ['./other.sh', 'no-such-program', join(folder, 'secret.txt')]) {
      const failure = await bubblewrap.run([program], jobOf()).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(WorldFailure)
      expect(failure).toMatchObject({ kind: 'harness', message: expect.stringContaining(program) })
    }
    expect(await bubblewrap.has('python3')).toBe(true)
    expect(await bubblewrap.has('no-such-program')).toBe(false)
  })

  it('is an external failure, not a result, when it does not start', async () => {
    const failure = bubblewrap.run(['true'], jobOf({ readOnly: [join(folder, 'not-there')] }))
    await expect(failure).rejects.toMatchObject({
      kind: 'harness',
      message: expect.stringContaining('not-there'),
    })
  })
})

describe('without protection', () => {
  const unprotected = createSandbox('none')

  it('limits time and output, and hands over no variables', async () => {
    process.env.SANDBOX_TEST_SECRET = 'sk-1234'
    try {
      const { stdout } = await unprotected.run(['env'], jobOf())
      expect(stdout).not.toContain('sk-1234')
    } finally {
      delete process.env.SANDBOX_TEST_SECRET
    }
    const result = await unprotected.run(['sleep', '600'], jobOf({ limits: { ...limits, seconds: 0.3 } }))
    expect(result).toMatchObject({ timedOut: true, exitCode: undefined })
    expect(existsSync(workspace)).toBe(true)
  })

  it('does not wait for what left the group and holds the output open', async () => {
    const code = 'setsid sleep 60 & exit 0'
    const short = jobOf({ limits: { ...limits, seconds: 0.3 } })
    const before = Date.now()
    expect((await unprotected.run(['sh', '-c', code], short)).timedOut).toBe(true)
    expect(Date.now() - before).toBeLessThan(50_000)
  })

  it('says when there is no such program', async () => {
    await expect(unprotected.run(['no-such-program'], jobOf())).rejects.toMatchObject({ kind: 'harness' })
    expect(await unprotected.has('no-such-program')).toBe(false)
  })
})

describe('createSandbox', () => {
  it('says what to install where bubblewrap is missing, before and during a run', async () => {
    const missing = createBubblewrap([])
    await expect(missing.check()).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringContaining('bubblewrap is missing'),
      hint: expect.stringContaining('apt-get install bubblewrap'),
    })
    await expect(missing.run(['true'], jobOf())).rejects.toMatchObject({ kind: 'harness' })
  })

  it.runIf(process.platform === 'linux')('says what to allow where bubblewrap does not work', async () => {
    const broken = join(folder, 'broken')
    await mkdir(broken)
    const says = '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n'
    for (const name of ['bwrap', 'prlimit']) await writeFile(join(broken, name), says, { mode: 0o755 })
    await expect(createBubblewrap([broken]).check()).rejects.toMatchObject({
      message: expect.stringContaining('No permissions to create new namespace'),
      hint: expect.stringContaining('user namespaces'),
    })
  })

  it('refuses processors whose system calls it cannot filter', async () => {
    await expect(createBubblewrap(undefined, 'riscv64').check()).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringContaining('riscv64'),
      hint: expect.stringContaining('--unsafe-no-sandbox'),
    })
  })

  it('refuses with advice if there is no sandbox', async () => {
    const refused: Sandbox = createSandbox('auto', 'win32')
    await expect(refused.check()).rejects.toMatchObject({
      message: expect.stringContaining('win32'),
      hint: expect.stringContaining('--unsafe-no-sandbox'),
    })
    await expect(refused.run(['true'], jobOf())).rejects.toBeInstanceOf(WorldFailure)
  })
})
