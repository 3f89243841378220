import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { controlTasks } from '../../src/experiment/control.js'
import { loadPersona } from '../../src/experiment/personas.js'
import type { PersonaResult } from '../../src/experiment/run-persona.js'
import { timeLimit } from '../support/time-limit.js'
import { type Finished, skillopt, temporaryFolder } from './support.js'

/** Whole nights without a key: the command demonstrates the documented results. */

const persona = 'researcher'
const seed = 1

let finished: Finished
let result: PersonaResult
let kept = ''
let home = ''
beforeAll(async () => {
  home = await temporaryFolder()
  kept = join(await temporaryFolder(), 'kept')
  finished = await skillopt(
    [
      'sleep',
      'experiment',
      '--persona',
      persona,
      '--seed',
      String(seed),
      '--compare-gate',
      '--assert-improves',
      '--json',
      '--keep',
      kept,
    ],
    { cwd: home, env: { HOME: home, USERPROFILE: home } },
  )
  expect(finished).toMatchObject({ code: 0, stderr: '' })
  const printed = JSON.parse(finished.stdout) as { simulated: boolean; results: PersonaResult[] }
  expect(printed.simulated).toBe(true)
  result = printed.results[0] as PersonaResult
}, timeLimit(300_000))

const arm = (gate: boolean) => {
  const found = result.arms.find(one => one.gate === gate)
  if (found === undefined) throw new Error('There is no such arm.')
  return found
}

describe('nights of a made-up person', () => {
  it('change the document without the gate as well, or there would be nothing to compare', () => {
    expect(arm(false).learned).not.toBe('')
  })

  it('improve the document on held-out tasks and on unseen requests', () => {
    const { heldOut, control, nights, learned } = arm(true)
    expect(heldOut.difference.low).toBeGreaterThan(0)
    expect(control.difference.low).toBeGreaterThan(0)
    expect(nights[0]?.outcome).toBe('proposed')
    expect(learned).not.toBe('')
  })

  it('reject a proposed harmful edit, which does harm without the gate', () => {
    const { harmful, nights } = arm(true)
    expect(harmful?.accepted).toEqual([])
    expect(harmful?.turnedDown.length).toBeGreaterThan(0)
    for (const { text } of harmful?.turnedDown ?? []) {
      const tried = nights.flatMap(({ edits }) => edits).filter(edit => edit.text === text)
      expect(tried.map(({ outcome }) => outcome)).toContain('rejected')
    }
    expect(arm(false).harmful?.accepted.length).toBeGreaterThan(0)
    expect(arm(false).heldOut.after.mean).toBeLessThan(arm(true).heldOut.after.mean)
    expect(arm(false).control.after.mean).toBeLessThan(arm(true).control.after.mean)
  })

  it('show no model what only the person knows', async () => {
    const literals = controlTasks(await loadPersona(persona), seed).flatMap(({ checks }) =>
      checks.flatMap(({ op, arg }) => (op === 'contains' && arg.startsWith('arXiv:') ? [arg.slice(6)] : [])),
    )
    expect(literals.length).toBeGreaterThan(10)
    for (const gate of ['with-gate', 'without-gate']) {
      const texts = await textsBelow(join(kept, gate, 'home'))
      expect(texts.length).toBeGreaterThan(20)
      for (const literal of literals)
        expect(texts.filter(({ text }) => text.includes(literal)).map(({ name }) => name)).toEqual([])
    }
  })

  it('leave nothing in the home of the user who runs them', async () => {
    expect(await readdir(home)).toEqual([])
  })
})

async function textsBelow(folder: string): Promise<{ name: string; text: string }[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  return Promise.all(files.map(async name => ({ name, text: await readFile(name, 'utf8') })))
}
