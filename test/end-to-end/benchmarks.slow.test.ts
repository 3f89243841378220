import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { expectShown, linesBetween } from '../support/shown-output.js'
import { timeLimit } from '../support/time-limit.js'
import { eventsOf, ofType, resultOf, skillopt, start, temporaryFolder } from './support.js'

/**
 * Every benchmark, from the command line, on the simulated models behind HTTP: it trains, resumes after a
 * kill with the same result, and stores all it learned in the skill's text, which is the only thing handed
 * over.
 */

const examples = fileURLToPath(new URL('../../examples', import.meta.url))
const long = { timeout: timeLimit(240_000) }
const names = ['searchqa', 'alfworld', 'docvqa', 'livemath', 'officeqa', 'spreadsheetbench']
/** Resuming is the same for all: one that answers questions and one that acts suffice. */
const killed = ['searchqa', 'alfworld']

describe.each(names)('%s', name => {
  it('trains as its page shows, resumes after a kill, and improves on held-out tasks', long, async () => {
    const cwd = await temporaryFolder()
    await cp(join(examples, name), join(cwd, name), { recursive: true })
    const train = (out: string) => ['train', name, '--out', out, '--yes']

    const expectOnPage = (stdout: string) => {
      const tests = linesBetween(stdout, /^test split/, /^$/)
      expectShown(`docs/benchmarks/${name}.md`, name, tests.join('\n').trimEnd())
    }
    const straight = await skillopt(train('straight'), { cwd })
    expect(straight).toMatchObject({ code: 0, stderr: '' })
    expectOnPage(straight.stdout)

    if (killed.includes(name)) {
      const stopped = start(train('killed'), { cwd })
      await stopped.says(/step 2\//)
      stopped.child.kill('SIGKILL')
      await stopped.finished
      const half = await eventsOf(join(cwd, 'killed'))
      expect(ofType(half, 'run.finished')).toEqual([])
      const resumed = await skillopt(train('killed'), { cwd })
      expect(resumed).toMatchObject({ code: 0, stderr: '' })
      expect(resumed.stdout).toMatch(/resuming in/)
      expectOnPage(resumed.stdout)
      expect(await resultOf(join(cwd, 'killed'))).toEqual(await resultOf(join(cwd, 'straight')))
    }

    const skills = [join(name, 'SKILL.md'), join('straight', 'best_skill.md')]
    const compared = await skillopt(
      ['eval', name, ...skills, '--split', 'test', '--out', 'compared', '--json'],
      { cwd },
    )
    expect(compared.code).toBe(0)
    const [{ pairs }] = JSON.parse(compared.stdout).comparisons
    expect(pairs).toHaveLength(1)
    expect(pairs[0].difference.mean).toBeGreaterThanOrEqual(0.3)
    expect(pairs[0].worse).toBeLessThan(pairs[0].better)
  })
})
