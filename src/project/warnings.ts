import type { Config } from '../core/config/config.js'
import { checkAgentSkill } from '../core/skill/agent-skill.js'
import type { Setup } from '../trainer/loops/setup.js'
import type { LoadedProject } from './load.js'
import { scoringWarnings } from './scoring.js'

/**
 * Returns the warnings to show before any money is spent. A skill without frontmatter causes none here: most
 * skills are trained that way, and installing adds it. `skillopt doctor` reports it.
 */
export function projectWarnings(
  loaded: Pick<LoadedProject, 'warnings'>,
  setup: Pick<Setup, 'skill' | 'environment' | 'config' | 'models'>,
): string[] {
  const unreadable = checkAgentSkill(setup.skill).filter(({ level }) => level === 'error')
  return [
    ...loaded.warnings,
    ...unreadable.map(({ message }) => `agents would not read this skill: ${message}`),
    ...(setup.environment.warnings ?? []),
    ...scoringWarnings(setup.environment, setup.config),
    ...idleWeights(setup.config),
    ...agentWarnings(setup),
  ]
}

/** Returns each warning of the agents once, even if an agent has several roles. */
export function agentWarnings({ models }: Pick<Setup, 'models'>): string[] {
  return [...new Set(Object.values(models).flatMap(({ agent }) => agent?.warnings ?? []))]
}

function idleWeights({ evaluation: { metric, reward } }: Config): string[] {
  if (metric === 'reward' || reward.tokens + reward.latency === 0) return []
  return [`evaluation.reward has no effect: evaluation.metric is ${metric}, not reward.`]
}
