import type { SleepTask } from '../model/sleep-task.js'

/**
 * The agent in which most tasks were requested, as a target model; undefined if it cannot be started here.
 * Session names start with the agent that recorded them, as in `codex:…`.
 */
export async function usualTarget(
  tasks: readonly Pick<SleepTask, 'examples'>[],
  isAvailable: (agent: string) => Promise<boolean>,
): Promise<string | undefined> {
  const asked = new Map<string, number>()
  for (const { session } of tasks.flatMap(({ examples }) => examples)) {
    const [agent = ''] = session.split(':')
    asked.set(agent, (asked.get(agent) ?? 0) + 1)
  }
  const [most] = [...asked].toSorted(
    ([one, ofOne], [other, ofOther]) => ofOther - ofOne || (one < other ? -1 : 1),
  )
  return most !== undefined && (await isAvailable(most[0])) ? `${most[0]}/default` : undefined
}
