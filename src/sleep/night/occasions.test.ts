import { expect, it } from 'vitest'
import { parcelServer } from '../../../test/end-to-end/support.js'
import { makeNightMachine, proposedBy, writeSettings } from '../../../test/support/sleep/night-machine.js'
import { answersInOffice, isDone, officeSessions } from '../../../test/support/sleep/office.js'
import { writeTranscripts } from '../../experiment/transcripts.js'
import { sleepRun } from './night.js'

const today = Date.UTC(2026, 4, 20, 12)

it.each([undefined, 200, 100])(
  'learns rules that each help one kind of request only, with a cap of %s calls',
  async cap => {
    const server = await parcelServer({ respond: answersInOffice })
    const machine = await makeNightMachine()
    await writeTranscripts(officeSessions(today), machine)
    await writeSettings(machine, server.url, {
      sleep: { days: 0 },
      more: { train: {}, reflect: {}, evaluation: {} },
    })
    const { env, project } = machine
    const flags = cap === undefined ? {} : { 'limits.maxCalls': cap }
    const { outcome, night, reason } = await sleepRun({ project, env, cwd: project, flags })
    expect({ outcome, reason }).toMatchObject({ outcome: 'proposed' })
    const { texts } = await proposedBy(night)
    const unseen = (night?.plan?.tasks ?? [])
      .filter(({ split }) => split !== 'train')
      .flatMap(({ examples }) => examples.map(({ text }) => text))
    const share = (skill: string) => unseen.filter(text => isDone(skill, text)).length / unseen.length
    expect(unseen.length).toBeGreaterThan(5)
    expect(share('')).toBe(0)
    expect(share(Object.values(texts).join('\n'))).toBeGreaterThan(0.5)
  },
  180_000,
)

it('says that there are too few occasions before it pays for anything', async () => {
  const server = await parcelServer({ respond: answersInOffice })
  const machine = await makeNightMachine()
  await writeTranscripts(officeSessions(today, 1, 3), machine)
  await writeSettings(machine, server.url)
  const { env, project } = machine
  const { outcome, reason } = await sleepRun({ project, env, cwd: project })
  expect(outcome).toBe('nothing-to-learn')
  expect(reason).toContain('Too few occasions: 1 to judge by')
  expect(server.counters.requests).toBe(0)
}, 60_000)
