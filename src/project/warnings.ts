import type { Config } from '../core/config/config.js'
import { checkAgentSkill } from '../core/skill/agent-skill.js'
import type { Setup } from '../trainer/loops/setup.js'
import type { LoadedProject } from './load.js'
import { scoringWarnings } from './scoring.js'

/**
 * Warnings to show before any spending; none of them stops the run. A skill without frontmatter is left to
 * `skillopt doctor`: most are trained that way, and installing adds it.
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

/** Each warning once, even if an agent has several roles. */
export function agentWarnings({ models }: Pick<Setup, 'models'>): string[] {
  return [...new Set(Object.values(models).flatMap(({ agent }) => agent?.warnings ?? []))]
}

function idleWeights({ evaluation: { metric, reward } }: Config): string[] {
  if (metric === 'reward' || reward.tokens + reward.latency === 0) return []
  return [`evaluation.reward has no effect: evaluation.metric is ${metric}, not reward.`]
}
