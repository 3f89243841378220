import { harvest } from '../harvest/harvest.js'
import { planOf } from '../harvest/harvest-tasks.js'
import { findTargets } from '../night/targets.js'
import { adoptionPlace } from '../proposal/adoption-place.js'
import type { SleepProject, Surroundings } from '../settings/places.js'
import type { SleepSettings } from '../settings/settings.js'
import { type CorrectionRule, correctionsIn, rulesFrom } from './rules.js'

export interface FoundCorrections {
  readonly sessions: number
  /** Number of corrections in all sessions. */
  readonly heard: number
  /** Rules from the most frequent corrections, without rules accepted before. */
  readonly rules: readonly CorrectionRule[]
}

/** Reads sessions and finds what the person corrected repeatedly. Calls no model and writes nothing. */
export async function findCorrections(
  project: SleepProject,
  settings: SleepSettings,
  { signal, ...surroundings }: Surroundings & { readonly signal: AbortSignal },
): Promise<FoundCorrections> {
  const plan = await planOf(project, settings, surroundings.env)
  const { sessions, requests } = await harvest(plan, { signal })
  const rules = await rulesFrom(requests)
  const known = await knownRules(rules, { project, settings, surroundings })
  return {
    sessions: sessions.length,
    heard: correctionsIn(requests).length,
    rules: rules.filter(({ line, corrections }) =>
      corrections.every(({ text }) => !known.includes(line) && !known.includes(`“${text}”`)),
    ),
  }
}

async function knownRules(
  rules: readonly CorrectionRule[],
  {
    project,
    settings,
    surroundings,
  }: { project: SleepProject; settings: SleepSettings; surroundings: Surroundings },
): Promise<string> {
  const { roots } = await adoptionPlace(project, settings, surroundings)
  const sessions = rules.flatMap(({ corrections }) => corrections.map(({ session }) => session))
  const places = { project, settings, env: surroundings.env, roots }
  return (await findTargets([{ evidence: { sessions } }], places)).managed.region
}
