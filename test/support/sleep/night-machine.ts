import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { ConfigInput } from '../../../src/core/config/config.js'
import { type MadeSession, sessionsOf } from '../../../src/experiment/generate.js'
import { loadPersona } from '../../../src/experiment/personas.js'
import { writeTranscripts } from '../../../src/experiment/transcripts.js'
import { listNights, type Night } from '../../../src/sleep/nights/nights.js'
import type { Machine } from '../../end-to-end/sleep-support.js'
import { key, modelConfig, put, temporaryFolder } from '../../end-to-end/support.js'

/** A person's machine with sessions that the simulated models understand. */

/** A fixed date: no test depends on the current day, because sessions of any age are read. */
const today = Date.UTC(2026, 4, 20, 12)

/** Each machine has its own `kept` folder; home and project may be shared. */
export async function makeNightMachine(): Promise<Machine> {
  const root = await temporaryFolder()
  const [home, project, kept] = [join(root, 'home'), join(root, 'work', 'ledger'), join(root, 'kept')]
  for (const folder of [home, project]) await mkdir(folder, { recursive: true })
  return { root, home, project, kept, env: variablesOf(home, kept) }
}

const variablesOf = (home: string, kept: string) => ({
  HOME: home,
  USERPROFILE: home,
  SKILLOPT_HOME: kept,
  ...key,
})

/** The same person and project, without any SkillOpt data. */
export function anew(machine: Machine, name: string): Machine {
  const kept = join(machine.root, name)
  return { ...machine, kept, env: variablesOf(machine.home, kept) }
}

/** Sessions of the weeks before the nights up to this one, in Claude Code's format. */
export async function writeWeek(
  machine: Machine,
  night: number,
  change: (session: MadeSession) => MadeSession = session => session,
): Promise<void> {
  const persona = await loadPersona('researcher')
  const sessions = sessionsOf(persona, { seed: 1, night, nights: 3, today })
  await writeTranscripts(sessions.map(change), machine)
}

/** Writes the one-off requests. */
export async function writeOnce(machine: Machine): Promise<void> {
  const { oneOffs } = await loadPersona('researcher')
  const sessions = oneOffs.map((said, index) => ({
    id: `00000000-0000-4000-8000-00000000000${index}`,
    at: today - (index + 1) * 86_400_000,
    turns: [{ said, answer: 'Done, see above.' }],
  }))
  await writeTranscripts(sessions, machine)
}

interface NightSettings {
  readonly sleep?: ConfigInput['sleep']
  /** Adds sections to, or replaces, `sleep` and `models`. */
  readonly more?: Partial<ConfigInput>
}

/**
 * For nights with scripted models: one or two steps suffice, and a single analyst, so that nothing is
 * merged.
 */
export const oneEpoch = { train: { epochs: 1, batchSize: 40 }, reflect: { minibatchSize: 40 } } as const

/** Writes settings into Sleep's own folder, as a person would. */
export async function writeSettings(
  { kept }: Machine,
  endpoint: string,
  { sleep = {}, more = {} }: NightSettings = {},
): Promise<void> {
  const named = (name: string) => modelConfig(name, endpoint)
  const settings = {
    models: { target: named('target'), optimizer: named('optimizer'), judge: named('judge') },
    sleep: { days: 0, examples: 5, val: 0.3, test: 0.25, ...sleep },
    // Enough steps to find the rules, whatever the first proposals are.
    train: { epochs: 3, batchSize: 8 },
    reflect: { minibatchSize: 3 },
    evaluation: { metric: 'mixed' },
    ...more,
  }
  await put(kept, 'sleep/sleep.yaml', stringify(settings))
}

// ── Results of a night ──────────────────────────────────────────────────────

/** Sleep's folder for the only project. */
export async function folderOf({ kept }: Machine): Promise<string> {
  const projects = join(kept, 'sleep', 'projects')
  const [folder = ''] = await readdir(projects)
  return join(projects, folder)
}

export async function nightsOf(machine: Machine): Promise<readonly Night[]> {
  return listNights(await folderOf(machine))
}

/** The documents that a night proposes, by target name. */
export async function proposedBy(night: Night | undefined) {
  if (night?.proposal === undefined) throw new Error('The night has proposed nothing.')
  const manifest = JSON.parse(await readFile(join(night.proposal, 'proposal.json'), 'utf8'))
  const targets: { name: string; proposed: string }[] = manifest.targets
  const texts = await Promise.all(
    targets.map(async ({ name, proposed }) => [
      name,
      await readFile(join(night.proposal ?? '', proposed), 'utf8'),
    ]),
  )
  return { manifest, texts: Object.fromEntries(texts) as Record<string, string> }
}
