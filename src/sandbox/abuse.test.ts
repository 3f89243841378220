import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { realSandbox, sandboxWorks } from '../../test/support/real-sandbox.js'
import { timeLimit } from '../../test/support/time-limit.js'
import type { SandboxJob, SandboxLimits } from '../core/ports/sandbox.js'
import { createBubblewrap } from './bubblewrap.js'
import { createSandbox } from './index.js'

/**
 * Attacks and bad failures that a program could attempt: each is refused or cut off, and leaves nothing
 * behind.
 */

const limits: SandboxLimits = {
  seconds: 20,
  memoryMegabytes: 512,
  processes: 24,
  fileMegabytes: 8,
  diskMegabytes: 32,
  outputCharacters: 5000,
}

const sandbox = realSandbox
const works = await sandboxWorks('The tests of the sandbox')

let folder: string
let workspace: string
let secret: string
let server: Server
let port: number
let connections = 0
/** Part of the arguments of every process that a test starts, so that leftovers can be found. */
let mark: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-abuse-'))
  await chmod(folder, 0o755)
  secret = join(homedir(), `.skillopt-abuse-${process.pid}`)
  await writeFile(secret, 'a key')
  server = createServer(socket => {
    connections += 1
    socket.end('hello')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  port = address.port
})
afterAll(async () => {
  await new Promise(resolve => server.close(resolve))
  await rm(secret, { force: true })
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

let temporary: string[]
beforeEach(async () => {
  workspace = await mkdtemp(join(folder, 'work-'))
  mark = `mark-${process.pid}-${basename(workspace)}`
  temporary = await readdir(folder)
})
afterEach(async () => {
  await expect.poll(() => processesWith(mark)).toBe(0)
  expect(await readdir(folder)).toEqual(temporary)
})

function python(code: string, changed: Partial<SandboxJob> = {}) {
  const job = { workspace, limits, signal: new AbortController().signal, ...changed }
  return sandbox.run(['python3', '-c', code, mark], job)
}

async function processesWith(word: string): Promise<number> {
  const ids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const lines = await Promise.all(ids.map(id => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter(line => line.includes(word)).length
}

/** Total size of the files left in the workspace, in bytes. */
async function bytesLeft(): Promise<number> {
  const files = (await readdir(workspace, { recursive: true, withFileTypes: true })).filter(entry =>
    entry.isFile(),
  )
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await readFile(join(parentPath, name))).length),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

const megabyte = 1024 * 1024

describe.runIf(works)('a program in the sandbox', () => {
  it('finds no home folder', async () => {
    const code = `import os, glob
home = ${JSON.stringify(homedir())}
print(os.path.exists(${JSON.stringify(secret)}), os.path.expanduser("~"), os.listdir(os.path.expanduser("~")))
for path in [home, "/root", "/home", "/etc/passwd", "/etc/shadow", "/var", "/run", "/mnt", "/srv"]:
  try:
    print("read", path, os.listdir(path) if os.path.isdir(path) else open(path).read())
  except OSError:
    pass`
    expect(existsSync(secret)).toBe(true)
    expect((await python(code)).stdout).toBe('False /workspace []\n')
  })

  it('finds no variable of ours, in its own environment or in that of others', async () => {
    process.env.ABUSE_TEST_KEY = 'sk-very-secret'
    try {
      const code = `import os, glob
print(sorted(os.environ))
for path in glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline"):
  try:
    print(open(path).read())
  except OSError:
    pass`
      const { stdout } = await python(code)
      expect(stdout).toMatch(/^\['HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR'\]\n/)
      expect(stdout).not.toContain('sk-very-secret')
    } finally {
      delete process.env.ABUSE_TEST_KEY
    }
  })

  it('writes nowhere but into its folder, through no link and no other name of it', async () => {
    const target = join(folder, 'written')
    const code = `import os
for path in ["/x", "/usr/x", "/etc/x", "/dev/x", "/proc/x", "/given/x", "../x", ${JSON.stringify(target)}, ${JSON.stringify(join(homedir(), 'x'))}]:
  try:
    open(path, "w").close(); print("wrote", path)
  except OSError:
    pass
os.symlink(${JSON.stringify(secret)}, "link")
os.symlink("/etc", "folder-link")
os.mkfifo("pipe")
open("mine", "w").write("ok")`
    expect(await python(code)).toMatchObject({ exitCode: 0, stdout: '' })
    // Links and pipes stay inside, so a later reader of the folder cannot be led out of it.
    expect(await readdir(workspace)).toEqual(['mine'])
    expect(existsSync(target)).toBe(false)
  })

  it('reaches no socket: not the loopback, nothing outside, no name', async () => {
    const code = `import socket
def attempt(what, run):
  try:
    run(); print("reached", what)
  except OSError:
    print("refused", what)
attempt("loopback", lambda: socket.create_connection(("127.0.0.1", ${port}), 3))
attempt("outside", lambda: socket.create_connection(("1.1.1.1", 53), 3))
attempt("name", lambda: socket.getaddrinfo("example.com", 80))
attempt("datagram", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("1.1.1.1", 53)))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))`
    const { stdout } = await python(code)
    expect(stdout.trim().split('\n')).toHaveLength(5)
    expect(stdout).not.toContain('reached')
    expect(connections).toBe(0)
  })

  it('forks no further than its limit, and all of it ends', async () => {
    const code = `import os, time
while True:
  try:
    os.fork()
  except OSError:
    time.sleep(0.01)`
    const before = Date.now()
    const result = await python(code, { limits: { ...limits, seconds: 2 } })
    expect(result).toMatchObject({ timedOut: true, exitCode: undefined })
    expect(Date.now() - before).toBeLessThan(timeLimit(20_000))
  })

  it('fills no disk with many files', async () => {
    const code = `i = 0
while True:
  with open(f"file{i}", "wb") as file: file.write(b"x" * 1000000)
  i += 1`
    const result = await python(code)
    expect(result.exitCode).toBe(1)
    expect(result.stderr).toContain('No space left on device')
    expect(await bytesLeft()).toBeLessThanOrEqual(32 * megabyte)
  })

  it('fills none with deleted files that are still open', async () => {
    const code = `import os
held = []
while True:
  file = open("f", "wb", buffering=0); os.unlink("f"); held.append(file)
  file.write(b"x" * 4000000); print(len(held), flush=True)`
    const { stdout, stderr } = await python(code)
    expect(stderr).toContain('No space left on device')
    expect(Number(stdout.trim().split('\n').at(-1))).toBeLessThanOrEqual(9)
  })

  it('fills none with one large file, a sparse file, or many hard links to one file', async () => {
    const large = await python(
      'f = open("f", "wb")\nfor _ in range(100):\n  f.write(b"x" * 1000000); f.flush()',
    )
    expect(large.exitCode).not.toBe(0)
    expect(await bytesLeft()).toBeLessThanOrEqual(8 * megabyte)

    for (const code of [
      'for i in range(100): open(f"h{i}", "wb").truncate(8000000)',
      'import os\nopen("one", "wb").write(b"x" * 4000000)\nfor i in range(100): os.link("one", f"l{i}")',
    ]) {
      const result = await python(code)
      expect(result).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('may grow by 32 MB and to 20000 files'),
      })
      expect(await bytesLeft()).toBe(0)
    }
  })

  it('makes no endless number of empty files, and no folders without bottom', async () => {
    const many = await python('i = 0\nwhile True:\n  open(f"e{i}", "w").close(); i += 1')
    expect(many).toMatchObject({ exitCode: 137, stderr: expect.stringContaining('stopped it') })
    expect(await readdir(workspace)).toEqual([])

    const deep = `import os
for _ in range(3000):
  os.mkdir("d" * 100); os.chdir("d" * 100)`
    expect(await python(deep)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('stopped it') })
    expect(await readdir(workspace)).toEqual([])
  })

  it('cannot prevent its files from being read or removed, whatever it locked', async () => {
    const code = `import os
os.makedirs("a/b"); open("a/b/f", "w").write("inside")
os.chmod("a/b/f", 0); os.chmod("a/b", 0); os.chmod("a", 0); os.chmod(".", 0)`
    expect((await python(code)).exitCode).toBe(0)
    expect(await readFile(join(workspace, 'a/b/f'), 'utf8')).toBe('inside')
  })

  it('runs for no longer than it may, deaf to signals and in a session of its own', async () => {
    const code = `import os, signal, subprocess, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-c", "import os, time; os.setsid(); time.sleep(600)", sys.argv[1]])
while True: pass`
    const before = Date.now()
    const result = await python(code, { limits: { ...limits, seconds: 2 } })
    expect(result).toMatchObject({ timedOut: true, exitCode: undefined })
    expect(Date.now() - before).toBeLessThan(timeLimit(15_000))
  })

  it('prints without end, of which the end is kept', async () => {
    const code = 'import sys\nwhile True: sys.stdout.write("a" * 65536); sys.stderr.write("b" * 65536)'
    const before = process.memoryUsage().rss
    const result = await python(code, { limits: { ...limits, seconds: 2 } })
    expect(result).toMatchObject({ timedOut: true, truncated: true })
    expect([result.stdout.length, result.stderr.length]).toEqual([5000, 5000])
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * megabyte)
  })
})

/** Exceeds the limit slowly enough for periodic measurement to catch it in time. */
const growing = `import time
i = 0
while True:
  with open(f"file{i}", "wb") as file: file.write(b"x" * 1000000)
  i += 1
  time.sleep(0.002)`

describe('where no file system can keep the limit', () => {
  const job = () => ({ workspace, limits, signal: new AbortController().signal })
  const cut = { exitCode: 137, timedOut: false, stderr: expect.stringContaining('may grow by 32 MB') }

  it('a folder that grows too large ends the program', async () => {
    const unprotected = createSandbox('none')
    expect(await unprotected.run(['python3', '-c', growing, mark], job())).toMatchObject(cut)
  })

  it.runIf(works)('an older bubblewrap shares the folder, and looks at it', async () => {
    const older = join(folder, 'older')
    await mkdir(older)
    temporary = await readdir(folder)
    const refuses = 'case "$*" in *--size*) echo "bwrap: Unknown option --size" >&2; exit 1;; esac'
    await writeFile(join(older, 'bwrap'), `#!/bin/sh\n${refuses}\nexec /usr/bin/bwrap "$@"\n`, {
      mode: 0o755,
    })
    const shared = createBubblewrap([older, '/usr/bin', '/bin'])
    await expect(shared.run(['true'], job())).resolves.toMatchObject({ exitCode: 0 })
    expect(await shared.run(['python3', '-c', growing, mark], job())).toMatchObject(cut)
  })
})
