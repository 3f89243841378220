import type { Config } from '../core/config/config.js'
import { checkAgentSkill } from '../core/skill/agent-skill.js'
import type { Setup } from '../trainer/loops/setup.js'
import type { LoadedProject } from './load.js'
import { scoringWarnings } from './scoring.js'

/**
 * What a person should know before anything is paid for, and which stops nothing. A skill without frontmatter is left
 * to `skillopt doctor`: most are trained like that, and an installation adds it.
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

/** Once each, whatever roles the agent has. */
export function agentWarnings({ models }: Pick<Setup, 'models'>): string[] {
  return [...new Set(Object.values(models).flatMap(({ agent }) => agent?.warnings ?? []))]
}

function idleWeights({ evaluation: { metric, reward } }: Config): string[] {
  if (metric === 'reward' || reward.tokens + reward.latency === 0) return []
  return [`evaluation.reward does nothing here: evaluation.metric is ${metric}, and would have to be reward.`]
}
