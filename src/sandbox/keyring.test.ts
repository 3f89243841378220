import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { withOwnKeyring } from './keyring.js'

const folders = ['/usr/local/bin', '/usr/bin', '/bin']
const isKnown = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64')

/** Puts a key into a new session keyring, then runs the test's command. */
const parent = `import ctypes, os, platform, sys
keyctl, add_key = (250, 248) if platform.machine() == "x86_64" else (219, 217)
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(keyctl, 1, b"skillopt-test") == -1: sys.exit(77)
if libc.syscall(add_key, b"user", b"skillopt-key", b"secret", 6, -3) == -1: sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])`
/** Searches the session keyring for that key. */
const child = `import ctypes, platform
keyctl = 250 if platform.machine() == "x86_64" else 219
found = ctypes.CDLL(None).syscall(keyctl, 10, -3, b"user", b"skillopt-key", 0)
print("found" if found > 0 else "none")`

const start = (command: readonly string[]) =>
  spawnSync('/usr/bin/python3', ['-c', parent, ...command], { encoding: 'utf8' })

it.runIf(isKnown)('runs a command with a session keyring of its own', async ({ skip }) => {
  const command = ['/usr/bin/python3', '-c', child] as const
  const inherited = start(command)
  // Some containers have no keyrings; then there is nothing to inherit.
  if (inherited.status === 77) return skip('this kernel refuses keyrings')
  expect(inherited.stdout).toBe('found\n')
  const own = start(await withOwnKeyring(command, folders))
  expect(own).toMatchObject({ status: 0, stdout: 'none\n', stderr: '' })
})

it('passes arguments on unchanged, and runs the command itself if there is no Perl', async () => {
  const command = ['/bin/echo', '-n', '$HOME; `id` "x"', '--', 'é'] as const
  expect(await withOwnKeyring(command, [])).toEqual(command)
  const [program, ...rest] = await withOwnKeyring(command, folders)
  expect(spawnSync(program, rest, { encoding: 'utf8' }).stdout).toBe('$HOME; `id` "x" -- é')
})
