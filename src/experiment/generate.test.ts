import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { timeLimit } from '../../test/support/time-limit.js'
import { type SleepHarvestResult, sleepHarvest } from '../sleep/harvest/harvest-tasks.js'
import { occasionCounts } from '../sleep/model/occasions.js'
import { controlRequests, sessionsOf } from './generate.js'
import type { Persona } from './persona.js'
import { loadPersona, personaNames } from './personas.js'
import { writeTranscripts } from './transcripts.js'

const today = Date.UTC(2026, 5, 15, 12)
const dayMs = 86_400_000

describe('made-up sessions', async () => {
  const persona = await loadPersona('researcher')
  const night = (number: number, seed = 1) => sessionsOf(persona, { seed, night: number, nights: 2, today })

  it('are the same for the same seed, and others for another', () => {
    expect(night(1)).toEqual(night(1))
    expect(night(1, 2)).not.toEqual(night(1))
  })

  it('are over before today, and each night has a week of its own', () => {
    const days = (number: number) =>
      night(number).map(({ at }) => Math.floor(today / dayMs) - Math.floor(at / dayMs))
    expect([Math.min(...days(2)), Math.max(...days(2))]).toEqual([1, 7])
    expect([Math.min(...days(1)), Math.max(...days(1))]).toEqual([8, 14])
    expect(new Set(days(1)).size).toBeGreaterThan(4)
  })

  it('have something new in each: no session and no request comes twice', () => {
    const all = [...night(1), ...night(2)]
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    const facts = all.flatMap(({ turns }) => turns.filter(({ said }) => said.includes('```')))
    expect(new Set(facts.map(({ said }) => said)).size).toBe(facts.length)
    const control = controlRequests(persona, 1, 3).map(({ text }) => text)
    expect(facts.filter(({ said }) => control.includes(said))).toEqual([])
  })

  it('hold wrong answers, complaints and things that never come again', () => {
    const said = night(1).flatMap(({ turns }) => turns.map(turn => turn.said))
    const complaints = Object.values(persona.conventions).flatMap(({ complaints: all }) => [...all])
    expect(said.filter(text => complaints.includes(text)).length).toBeGreaterThan(30)
    expect(said.filter(text => persona.oneOffs.includes(text)).length).toBeGreaterThan(2)
  })
})

describe.each(personaNames())('the transcripts of the %s', { timeout: timeLimit(180_000) }, async name => {
  const persona = await loadPersona(name)
  let root = ''
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-persona-')))
  })
  afterEach(() => rm(root, { recursive: true }))

  async function harvested(): Promise<SleepHarvestResult> {
    const project = join(root, persona.project)
    await mkdir(project)
    const sessions = sessionsOf(persona, { seed: 3, night: 1, nights: 1, today: Date.now() })
    await writeTranscripts(sessions, { home: root, project })
    const result = await sleepHarvest({
      project,
      cwd: root,
      allowSimulated: true,
      env: { PATH: process.env.PATH, HOME: root, SKILLOPT_HOME: join(root, 'kept') },
      flags: { 'models.optimizer': 'simulated/optimizer', 'train.seed': 3 },
    })
    expect(result.sessions).toHaveLength(sessions.length)
    return result
  }

  it('are read as Claude Code’s, and what recurs in them is found and made into tasks', async () => {
    const { recurring, tasks, skipped } = await harvested()
    expect(skipped).toEqual([])
    const found = new Set(
      recurring.flatMap(({ requests }) => mostly(requests.map(({ text }) => intentOf(persona, text)))),
    )
    const asked = Math.ceil(0.8 * persona.intents.length)
    expect(found.size).toBeGreaterThanOrEqual(0.8 * asked)
    expect(found).not.toContain(undefined)
    expect(Object.values(occasionCounts(tasks)).every(count => count > 1)).toBe(true)
    for (const { rubric, checks, intent } of tasks) {
      expect(rubric.length).toBeGreaterThan(0)
      expect(checks).toEqual([])
      expect(intent).not.toContain('```')
    }
  })
})

/** The intents that make up at least four of five entries. */
function mostly(intents: readonly (string | undefined)[]): (string | undefined)[] {
  return [...new Set(intents)].filter(
    intent => intents.filter(other => other === intent).length >= 0.8 * intents.length,
  )
}

function intentOf({ intents }: Persona, text: string): string | undefined {
  return intents.find(({ wordings }) => wordings.some(wording => text.startsWith(`${wording}:`)))?.id
}
