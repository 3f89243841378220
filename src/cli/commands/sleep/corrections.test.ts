import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sleepHere } from '../../../../test/support/sleep/house.js'
import { makeNightMachine } from '../../../../test/support/sleep/night-machine.js'
import { writeTranscripts } from '../../../experiment/transcripts.js'

const day = 86_400_000

async function corrected() {
  const machine = await makeNightMachine()
  const said = ['no down migration, we roll forward', 'again no down migration', 'again: no down migration']
  const sessions = said.map((text, index) => ({
    id: `00000000-0000-4000-8000-00000000000${index}`,
    at: Date.now() - (index + 1) * day,
    turns: [
      { said: `write a migration that adds column number ${index}`, answer: 'Written, with up and down.' },
      { said: text, answer: 'Removed the down part.' },
    ],
  }))
  await writeTranscripts(sessions, machine)
  return { machine, skill: join(machine.project, '.claude/skills/skillopt-sleep-learned/SKILL.md') }
}

it('shows what was corrected repeatedly, and writes nothing without consent', async () => {
  const { machine, skill } = await corrected()
  const { code, out } = await sleepHere(machine, [])
  expect(code).toBe(0)
  expect(out).toContain('3 sessions read, 3 corrections heard. No model was called.')
  expect(out).toContain('1. 3 times')
  expect(out).toContain('“no down migration, we roll forward”')
  expect(out).toContain('claude-code:00000000-0000-4000-8000-000000000000: no down migration')
  expect(out).toContain('skillopt sleep corrections --yes')
  await expect(readFile(skill)).rejects.toThrow('ENOENT')
})

it('writes accepted rules once, and undo removes them', async () => {
  const { machine, skill } = await corrected()
  const accepted = await sleepHere(machine, ['corrections', '--yes'])
  expect(accepted).toMatchObject({ code: 0, err: '' })
  expect(await readFile(skill, 'utf8')).toContain('no down migration, we roll forward')
  const again = await sleepHere(machine, [])
  expect(again.out).toContain('none that you made twice')
  expect((await sleepHere(machine, ['status'])).code).toBe(0)
  expect(await sleepHere(machine, ['undo', '--yes'])).toMatchObject({ code: 0 })
  await expect(readFile(skill, 'utf8')).rejects.toThrow('ENOENT')
})

it('refuses a rule that was not shown', async () => {
  const { machine } = await corrected()
  const { code, err } = await sleepHere(machine, ['corrections', '--rule', '7', '--yes'])
  expect(code).toBe(2)
  expect(err).toContain('There is no rule 7')
})
