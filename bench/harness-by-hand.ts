import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentDefinition } from '../src/agents/shared/harness/definition.js'
import { createAgentHarness } from '../src/agents/shared/harness/harness.js'
import { type HarnessJob, type MeasuredAttempt, openSession, settingsOf, skill } from './harness-job.js'

/** The command with which the harness starts its agent. */
interface Command {
  readonly arguments: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly cwd: string
  readonly stdin: string
}

/**
 * A stand-in agent that records how it was started and then waits, so that its folders and tools stay in
 * place.
 */
const standIn = (file: string) => `#!${process.execPath}
const { readFileSync, renameSync, writeFileSync } = require('node:fs')
const command = {
  arguments: process.argv.slice(2),
  environment: process.env,
  cwd: process.cwd(),
  stdin: readFileSync(0, 'utf8'),
}
writeFileSync('${file}.part', JSON.stringify(command))
renameSync('${file}.part', '${file}')
setInterval(() => undefined, 1e9)
`

/**
 * Sequential attempts with the bare program, using the arguments, variables and folders that the harness
 * prepared. Only the program's own time is counted.
 */
export async function startByHand(
  definition: AgentDefinition,
  job: HarnessJob,
  attempts: number,
): Promise<MeasuredAttempt[]> {
  const folder = await mkdtemp(join(tmpdir(), 'skillopt-bench-by-hand-'))
  const [program, told, kept] = [join(folder, 'stand-in'), join(folder, 'command.json'), join(folder, 'kept')]
  await writeFile(program, standIn(told))
  await chmod(program, 0o755)
  const session = await openSession(definition)
  const done = new AbortController()
  const harness = createAgentHarness(definition, { ...settingsOf(job), program })
  const prepared = harness.run(
    {
      session,
      skill,
      call: (_request, _turn, worker) => (worker ?? missing)(done.signal),
      reopen: () => missing(),
    },
    done.signal,
  )
  try {
    const command = await Promise.race([commandIn(told), prepared.then(missing)])
    const place = dirname(command.environment.HOME ?? missing())
    await cp(place, kept, { recursive: true })
    const measured: MeasuredAttempt[] = []
    for (let index = 0; index < attempts; index++) {
      const ms = await timeOf(job.program, command)
      measured.push({ wallMs: ms, agentMs: ms, cpuMs: 0 })
      // Leftovers of the previous attempt would make the next one faster.
      for (const name of ['home', 'config', 'tmp', 'work']) {
        await rm(join(place, name), { recursive: true, force: true, maxRetries: 5 })
        await cp(join(kept, name), join(place, name), { recursive: true })
      }
    }
    return measured
  } finally {
    done.abort(new Error('measured'))
    await prepared.catch(() => undefined)
    await session.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function commandIn(file: string): Promise<Command> {
  for (;;) {
    const isThere = await access(file).then(
      () => true,
      () => false,
    )
    if (isThere) return JSON.parse(await readFile(file, 'utf8')) as Command
    await sleep(20)
  }
}

async function timeOf(
  program: string,
  { arguments: given, environment, cwd, stdin }: Command,
): Promise<number> {
  const began = performance.now()
  const child = spawn(program, given, { cwd, env: environment, stdio: ['pipe', 'pipe', 'pipe'] })
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  // A program that exits without reading its input is not an error.
  child.stdin.on('error', () => undefined).end(stdin)
  const [code] = (await once(child, 'exit')) as [number | null]
  const ms = performance.now() - began
  const [, complaints] = await said
  if (code !== 0) throw new Error(`${program} ended with ${code} when it was started by hand: ${complaints}`)
  return ms
}

function missing(): never {
  throw new Error('The harness did not start its agent.')
}
