import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { LoopbackServer } from '../../src/testing/index.js'
import {
  type Finished,
  jsonOf,
  key,
  parcelServer,
  resultOf,
  skillopt,
  temporaryFolder,
  writeProject,
} from './support.js'

const prices = { target: { input: 3, output: 6 }, optimizer: { input: 5, output: 20 } }

/** A project with known prices that was trained once without a cap. */
export interface CappedProject {
  readonly cwd: string
  readonly server: LoopbackServer
  readonly uncapped: Awaited<ReturnType<typeof resultOf>>
  train(out: string, ...flags: string[]): Promise<Finished>
}

export async function cappedProject(): Promise<CappedProject> {
  const cwd = await temporaryFolder()
  const server = await parcelServer()
  const model = { price: prices.optimizer, maxOutputTokens: 1000 }
  await writeProject(join(cwd, 'project'), { endpoint: server.url, model })
  const train = (out: string, ...flags: string[]) =>
    skillopt(['train', 'project', '--out', out, '--yes', ...flags], { cwd, env: key })
  expect(await train('uncapped')).toMatchObject({ code: 0, stderr: '' })
  return { cwd, server, train, uncapped: await resultOf(join(cwd, 'uncapped')) }
}

/** It stops with its own exit code below the cap, as counted by the server, and resumes under a higher one. */
export async function expectStopAt(project: CappedProject, flag: string, cap: number): Promise<void> {
  const { cwd, server, train, uncapped } = project
  const before = { ...server.counters }
  const used = () => {
    const now = server.counters
    const calls = now.requests - before.requests
    const input = now.promptTokens - before.promptTokens
    const output = now.completionTokens - before.completionTokens
    const cost = (input * prices.optimizer.input + output * prices.optimizer.output) / 1_000_000
    return { '--max-calls': calls, '--max-tokens': input + output, '--max-cost': cost }[flag] ?? 0
  }
  const out = `capped${flag}`
  const stopped = await train(out, flag, String(cap))
  expect(stopped.code).toBe(4)
  expect(stopped.stderr).toMatch(/cap of .* is reached/i)
  expect(stopped.stderr).toMatch(new RegExp(`Raise ${flag} and rerun the same command to resume`))
  expect(used()).toBeLessThanOrEqual(cap)
  expect(used()).toBeGreaterThan(cap / 4)
  expect(await jsonOf(join(cwd, out), 'summary.json')).toMatchObject({ outcome: 'cap' })
  expect(existsSync(join(cwd, out, 'best_skill.md'))).toBe(true)

  expect(await train(out, flag, String(cap * 20))).toMatchObject({ code: 0, stderr: '' })
  expect(await resultOf(join(cwd, out))).toEqual(uncapped)
}
