import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sessionsOf } from '../src/experiment/generate.js'
import { loadPersona } from '../src/experiment/personas.js'
import { writeTranscripts } from '../src/experiment/transcripts.js'
import { answerSimulated } from '../src/simulated/responder.js'
import { startLoopbackServer } from '../src/simulated/server.js'
import { listNights } from '../src/sleep/nights/nights.js'
import { type ChaosRow, cli, processOf } from './chaos-training.js'

const today = Date.UTC(2026, 4, 20, 12)
const killsPerNight = 4

/** Nights that are killed at random requests and resumed by the same command. */
export async function killNights(kills: number, random: () => number): Promise<ChaosRow> {
  const root = await mkdtemp(join(tmpdir(), 'skillopt-chaos-night-'))
  let onRequest: (() => void) | undefined
  const server = await startLoopbackServer({
    respond: async request => {
      onRequest?.()
      // Long enough for calls to be in flight when the process dies.
      await sleep(4)
      return answerSimulated({ ...request, seed: 0 })
    },
  })
  const [home, project] = [join(root, 'home'), join(root, 'work', 'ledger')]
  const night = (kept: string, kill?: number) => {
    let asked = 0
    return processOf([cli, 'sleep', 'run', '--yes', '--quiet'], {
      cwd: project,
      env: { HOME: home, USERPROFILE: home, SKILLOPT_HOME: kept },
      started: child => {
        onRequest = () => {
          asked += 1
          if (asked === kill) child.kill('SIGKILL')
        }
      },
    })
  }
  try {
    for (const folder of [home, project]) await mkdir(folder, { recursive: true })
    const persona = await loadPersona('researcher')
    await writeTranscripts(sessionsOf(persona, { seed: 1, night: 1, nights: 3, today }), { home, project })
    const straight = join(root, 'straight')
    await settle(straight, server.url)
    const { code, stderr } = await night(straight)
    if (code !== 0) throw new Error(`The undisturbed night ended with code ${code}:\n${stderr}`)
    const requests = server.counters.requests
    const undisturbed = await resultOf(straight)

    let [happened, lost, nights] = [0, 0, 0]
    while (happened < kills) {
      const kept = join(root, `killed-${nights++}`)
      await settle(kept, server.url)
      let isOver = false
      for (let time = 0; time < killsPerNight && happened < kills && !isOver; time++) {
        const ended = await night(kept, 1 + Math.floor(random() * (requests / killsPerNight)))
        if (ended.signal === 'SIGKILL') happened += 1
        else isOver = true
      }
      if (!isOver && (await night(kept)).code !== 0) lost += 1
      else if (!isDeepStrictEqual(await resultOf(kept), undisturbed)) lost += 1
    }
    const note = `${nights} nights of ${requests} calls`
    return { what: 'kill -9 of a Sleep night', happened, lost, wrongScores: '-', caps: '-', note }
  } finally {
    await server.close()
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function settle(kept: string, url: string): Promise<void> {
  const model = (name: string) => ({
    model: `openai-compatible/${name}`,
    endpoint: `${url}/v1`,
    seed: true,
    price: { input: 0, output: 0 },
  })
  const settings = {
    models: { target: model('target'), optimizer: model('optimizer'), judge: model('judge') },
    sleep: { days: 0, examples: 3, val: 0.3, test: 0.25 },
    train: { epochs: 1, batchSize: 8 },
    reflect: { minibatchSize: 40 },
    evaluation: { metric: 'mixed' },
  }
  await mkdir(join(kept, 'sleep'), { recursive: true })
  // JSON is YAML.
  await writeFile(join(kept, 'sleep', 'sleep.yaml'), JSON.stringify(settings))
}

/** Result of a night, without times and paths. */
async function resultOf(kept: string): Promise<unknown> {
  const projects = join(kept, 'sleep', 'projects')
  const [folder = ''] = await readdir(projects)
  const nights = await listNights(join(projects, folder))
  const { reason, targets } = nights[0]?.outcome ?? {}
  const proposal = nights[0]?.proposal
  const names = proposal === undefined ? [] : (await readdir(proposal)).filter(name => name.endsWith('.md'))
  // The report contains its creation time.
  const texts = names.filter(name => name !== 'report.md').sort()
  const read = texts.map(async name => [name, await readFile(join(proposal ?? '', name), 'utf8')])
  return { nights: nights.length, reason, targets, texts: await Promise.all(read) }
}
