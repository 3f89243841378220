import { beforeAll, describe, expect, it } from 'vitest'
import { type CappedProject, cappedProject, expectStopAt } from './caps-support.js'
import { filesOf, key, skillopt, temporaryFolder, writeProject } from './support.js'

/** A cap is never exceeded, as counted by the server. */

describe('skillopt train', () => {
  let project: CappedProject
  beforeAll(async () => {
    project = await cappedProject()
  })

  it('--max-calls stops with its own exit code below the cap, and goes on with a higher one', async () => {
    await expectStopAt(project, '--max-calls', 60)
  })

  it('refuses --max-cost with a price that nobody knows, before anything is written', async () => {
    const folder = await temporaryFolder()
    await writeProject(folder, { endpoint: project.server.url })
    const [before, requests] = [await filesOf(folder), project.server.counters.requests]
    const refused = await skillopt(['train', '--max-cost', '5', '--yes'], { cwd: folder, env: key })
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(/price of the \w+ model openai-compatible\/\w+ is not known/)
    expect(await filesOf(folder)).toEqual(before)
    expect(project.server.counters.requests).toBe(requests)
  })
})
