import type { SleepTask } from '../sleep/model/sleep-task.js'
import { controlRequests } from './generate.js'
import type { Persona } from './persona.js'

/** Control requests per intent. Three are enough to tell a helpful document from an unhelpful one. */
const each = 3

/**
 * Creates tasks from the persona's future requests, which no night has seen. They are scored without a model,
 * by facts that only the persona knows.
 */
export function controlTasks(persona: Persona, seed: number): SleepTask[] {
  return controlRequests(persona, seed, each).map(({ intent, facts, text }, index) => {
    const id = `control-${index + 1}`
    const [wording] = intent.wordings
    const kept = { requestIds: [id], sessions: [id], failures: [], tools: [] }
    const counts = { requests: 1, occasions: 1, days: 1, projects: 1, reworked: 0, wordings: 1, score: 1 }
    return {
      id,
      family: id,
      split: 'test',
      origin: 'real',
      writtenBy: 'person',
      reviewed: true,
      rubric: [],
      intent: `${wording.slice(0, 1).toUpperCase()}${wording.slice(1)}.`,
      checks: intent.wants.flatMap(name => [...(persona.conventions[name]?.checks(facts) ?? [])]),
      examples: [{ request: id, session: id, text, before: [] }],
      evidence: { ...counts, ...kept },
    } satisfies SleepTask
  })
}
