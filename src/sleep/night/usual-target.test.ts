import { expect, it } from 'vitest'
import { sleepTask } from '../../../test/support/sleep-book.js'
import { usualTarget } from './plan.js'

const askedIn = (...sessions: readonly string[]) => [
  sleepTask('a', { examples: sessions.map(session => ({ session })) }),
]
const installed =
  (...agents: readonly string[]) =>
  async (agent: string) =>
    agents.includes(agent)

it('is the agent with the most requests', async () => {
  const tasks = [...askedIn('codex:1', 'pi:1'), ...askedIn('pi:2')]
  expect(await usualTarget(tasks, installed('codex', 'pi'))).toBe('pi/default')
})

it('is the first by name among equals', async () => {
  expect(await usualTarget(askedIn('pi:1', 'codex:1'), installed('codex', 'pi'))).toBe('codex/default')
})

it('is undefined if that agent cannot be started or there are no requests', async () => {
  const tasks = askedIn('vscode-copilot:1', 'vscode-copilot:2', 'codex:1')
  expect(await usualTarget(tasks, installed('codex'))).toBeUndefined()
  expect(await usualTarget([], installed('codex'))).toBeUndefined()
})
