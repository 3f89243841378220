import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sandbox, SandboxJob, SandboxLimits, SandboxResult } from '../../src/core/ports/sandbox.js'
import { createBubblewrap } from '../../src/sandbox/bubblewrap.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { checkedCalls, missingCalls, refusedCalls } from '../../src/sandbox/seccomp-calls.js'

/** Runs every known sandbox escape as the user who starts it, and prints the outcomes. */

export interface EscapeJob {
  readonly folder: string
  readonly secret: string
  /** Source code of the attacks, by file name. */
  readonly programs: Readonly<Record<'attacks.py' | 'memory.py' | 'race.py' | 'survivor.py', string>>
  /**
   * A folder with a bubblewrap that cannot limit a file system's size, so that programs see the workspace
   * itself.
   */
  readonly older: string
  readonly rounds: number
  /** Number of processes that swap files in each round of the race. */
  readonly children: number
}

export interface EscapeReport {
  readonly user: number
  readonly attacks: readonly { readonly area: string; readonly name: string; readonly got: string | null }[]
  readonly isSentinelAlive: boolean
  readonly races: Races
  readonly racesForShared: Races
  readonly left: Readonly<Record<string, unknown>>
  readonly leftInShared: Readonly<Record<string, unknown>>
  readonly survivors: Readonly<Record<string, unknown>>
  readonly withoutFirst: SandboxResult
  readonly memory: Readonly<Record<string, { readonly result: SandboxResult; readonly megabytes: number }>>
}

interface Races {
  readonly rounds: number
  readonly leaks: number
  readonly modesChanged: number
  /** Rounds in which files still changed while they were fetched. */
  readonly torn: number
}

const job = JSON.parse(process.argv[2] ?? '{}') as EscapeJob
const sandbox = createSandbox('auto')
const sharing = createBubblewrap([job.older, '/usr/bin', '/bin'])
const limits: SandboxLimits = {
  seconds: 30,
  memoryMegabytes: 256,
  processes: 64,
  fileMegabytes: 8,
  diskMegabytes: 32,
  outputCharacters: 100_000,
}

const column = process.arch === 'x64' ? 0 : 1
const calls = Object.fromEntries(
  Object.entries({ ...refusedCalls, ...missingCalls, ...checkedCalls }).map(([name, numbers]) => [
    name,
    numbers[column],
  ]),
)

async function run(
  code: string,
  rest: readonly string[],
  { used = sandbox, ...changed }: Partial<SandboxJob> & { used?: Sandbox } = {},
): Promise<{ result: SandboxResult; workspace: string }> {
  const workspace = await mkdtemp(join(job.folder, 'work-'))
  await writeFile(join(workspace, 'given.txt'), 'given')
  const given = { workspace, limits, signal: new AbortController().signal, ...changed }
  const result = await used.run(['python3', '-I', '-S', '-c', code, ...rest], given)
  return { result, workspace }
}

async function attackAll(): Promise<Pick<EscapeReport, 'attacks' | 'isSentinelAlive'>> {
  const abstract = `skillopt-escape-${process.pid}`
  const socket = join(job.folder, `socket-${process.pid}`)
  const servers: Server[] = []
  for (const path of [`\0${abstract}`, socket]) servers.push(await listening({ path }))
  const loopback = await listening({ port: 0, host: '127.0.0.1' })
  const port = (loopback.address() as { port: number }).port
  const sentinel = spawn('sleep', ['600'], { stdio: 'ignore' })
  try {
    const outside = {
      calls,
      secret: job.secret,
      port,
      abstract,
      socket,
      sentinel: sentinel.pid,
      ipcKey: 4711,
    }
    const { result } = await run(job.programs['attacks.py'], [JSON.stringify(outside)])
    if (result.exitCode !== 0) throw new Error(`The attacks did not run: ${result.stderr}`)
    const attacks = result.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as EscapeReport['attacks'][number])
    return { attacks, isSentinelAlive: isRunning(sentinel) }
  } finally {
    sentinel.kill('SIGKILL')
    for (const server of [...servers, loopback]) server.close()
  }
}

function listening(where: { path: string } | { port: number; host: string }): Promise<Server> {
  const server = createServer(client => client.end('reached'))
  return new Promise(resolve => server.listen(where, () => resolve(server)))
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}

/** Creates a file and a folder outside, which the swapped-in links point to. */
async function raceAll(used: Sandbox, rounds: number): Promise<Races> {
  const folder = await mkdtemp(join(job.folder, 'outside-'))
  await chmod(folder, 0o750)
  const before = await Promise.all([job.secret, folder].map(modeOf))
  const race = JSON.stringify({ secret: job.secret, folder, children: job.children })
  let leaks = 0
  let modesChanged = 0
  let torn = 0
  let begun = 0
  const round = async () => {
    while (begun < rounds) {
      begun += 1
      const { result, workspace } = await run(job.programs['race.py'], [race], { used })
      if (result.exitCode !== 0) throw new Error(`The race did not run: ${result.stderr}`)
      leaks += (await filesWith(workspace, 'outside-secret')) > 0 ? 1 : 0
      torn += (await isTorn(workspace)) ? 1 : 0
      const after = await Promise.all([job.secret, folder].map(modeOf))
      modesChanged += after.join() === before.join() ? 0 : 1
    }
  }
  await Promise.all([round(), round()])
  return { rounds: begun, leaks, modesChanged, torn }
}

/**
 * At any moment one of two names is a file or folder and the other a link, which is not fetched: never both,
 * never none.
 */
async function isTorn(workspace: string): Promise<boolean> {
  const names = new Set(await readdir(workspace))
  const kinds = Array.from({ length: job.children }, (_, number) => (number % 2 === 0 ? 'file' : 'folder'))
  return kinds.some((kind, number) => names.has(`${kind}${number}`) === names.has(`.${kind}-link${number}`))
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode

async function filesWith(folder: string, word: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  if (entries.some(entry => entry.isSymbolicLink())) return 1
  const files = entries.filter(entry => entry.isFile())
  const texts = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')),
  )
  return texts.filter(text => text.includes(word)).length
}

/** Files left in the workspace must include no links, stay readable, and have no set-id bits. */
async function leave(used: Sandbox): Promise<EscapeReport['left']> {
  const code = `import os, socket
os.symlink("/etc/passwd", "link"); os.symlink("/", "folder-link"); os.mkfifo("pipe")
socket.socket(socket.AF_UNIX).bind("socket")
open("plain", "w").write("ok"); open("set-id", "w").write("x"); os.chmod("set-id", 0o6777)
os.makedirs("locked/in"); open("locked/in/file", "w").write("x"); os.chmod("locked/in/file", 0); os.chmod("locked/in", 0); os.chmod("locked", 0)
open(b"not-\\xff-text", "w").write("x"); os.mkdir(b"folder-\\xfe"); open(b"folder-\\xfe/in", "w").write("x")
open("line\\nfeed", "w").write("x")
here = os.getcwd()
for _ in range(15):
  os.mkdir("n" * 250); os.chdir("n" * 250)
open("m" * 250, "w").write("x")`
  const { result, workspace } = await run(code, [], { used })
  const mode = ((await stat(join(workspace, 'set-id'))).mode & 0o7777).toString(8)
  const names = (await readdir(workspace)).filter(name => !name.startsWith('n')).sort()
  const locked = await readFile(join(workspace, 'locked/in/file'), 'utf8')
  return { exitCode: result.exitCode, stderr: result.stderr, names, mode, locked }
}

/**
 * The parent exits several times on its own; then it takes over the first process and is stopped at the time
 * limit.
 */
async function survive(): Promise<EscapeReport['survivors']> {
  const name = `left-${process.pid}`
  let afterEnd = 0
  for (let round = 0; round < 5; round += 1) {
    await run(job.programs['survivor.py'], ['0', name, 'leave it'])
    afterEnd += processesNamed(name)
  }
  const short = { limits: { ...limits, seconds: 1.5 } }
  const cut = await run(job.programs['survivor.py'], ['600', name, 'take over'], short)
  return { timedOut: cut.result.timedOut, afterEnd, afterCut: processesNamed(name) }
}

/** A synchronous count at this very moment, including dying processes. */
function processesNamed(name: string): number {
  const nameOf = (id: string) => {
    try {
      return readFileSync(`/proc/${id}/comm`, 'utf8').trim()
    } catch {
      return undefined
    }
  }
  return readdirSync('/proc').filter(id => /^\d+$/.test(id) && nameOf(id) === name).length
}

/** Ids of processes with the word among their arguments, of all programs or of one. */
async function pidsWith(word: string, program?: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
  const lines = await Promise.all(ids.map(id => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  const isMeant = (line: string) =>
    line.includes(word) && (program === undefined || (line.split('\0')[0] ?? '').endsWith(program))
  return ids.filter((_, index) => isMeant(lines[index] ?? '')).map(Number)
}

/**
 * The kernel kills the first process when the sandbox runs out of memory: this counts as a result, not a
 * failed start.
 */
async function killFirst(): Promise<SandboxResult> {
  const mark = `first-${process.pid}`
  const running = run('import time; time.sleep(600)', [mark])
  for (;;) {
    const [program] = await pidsWith(mark, 'python3')
    if (program !== undefined) {
      const status = await readFile(`/proc/${program}/status`, 'utf8')
      process.kill(Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1]), 'SIGKILL')
      return (await running).result
    }
    await sleep(20)
  }
}

/** Allocates 1.5 GB under a limit of 256 MB, in every known way. */
async function takeMemory(): Promise<EscapeReport['memory']> {
  const code = job.programs['memory.py']
  const ways = [...code.matchAll(/^def ((?!holds)\w+)\(/gm)].map(([, name = '']) => name)
  const taken = new Map<string, { result: SandboxResult; megabytes: number }>()
  for (const way of ways) {
    const { result } = await run(code, [way])
    const lines = result.stdout.split('\n').map(Number)
    taken.set(way, { result, megabytes: lines.reduce((sum, line) => sum + line, 0) })
  }
  return Object.fromEntries(taken)
}

const report: EscapeReport = {
  user: process.getuid?.() ?? -1,
  ...(await attackAll()),
  left: await leave(sandbox),
  leftInShared: await leave(sharing),
  survivors: await survive(),
  withoutFirst: await killFirst(),
  memory: await takeMemory(),
  races: await raceAll(sandbox, job.rounds),
  racesForShared: await raceAll(sharing, Math.ceil(job.rounds / 8)),
}
process.stdout.write(`${JSON.stringify(report)}\n`)
