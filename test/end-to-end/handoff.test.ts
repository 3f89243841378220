import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exitCodes } from '../../src/core/errors/errors.js'
import { skillopt, start, temporaryFolder, writeProject } from './support.js'

/** The command line without a key: its output while prompts wait, and the answers that survive `kill -9`. */

it('stops with the prompts written, and resumes with the answers, even after a kill', async () => {
  const cwd = await temporaryFolder()
  const models = { target: 'handoff/agent', optimizer: 'handoff/agent' }
  await writeProject(join(cwd, 'project'), { config: { models } })
  const where = { cwd, env: { SKILLOPT_HANDOFF: 'handoff' } }
  const handoff = join(cwd, 'handoff')

  const first = await skillopt(['train', 'project'], where)
  const asked = await readdir(join(handoff, 'pending'))
  expect(first.code).toBe(exitCodes.paused)
  expect(first.stderr).toContain(`paused: ${asked.length} prompts wait for answers in ${handoff}.`)
  expect(first.stderr).toContain(`${handoff}/PROMPTS.md`)

  for (const name of asked) await writeFile(join(handoff, 'answers', name), '<answer>none</answer>\n')
  const { child, finished, says } = start(['train', 'project', '--json'], where)
  await says(/("type":"call\.finished"[\s\S]*){4}/)
  child.kill('SIGKILL')
  await finished

  const second = await skillopt(['train', 'project'], where)
  expect(second.code).toBe(exitCodes.paused)
  const later = await readdir(join(handoff, 'pending'))
  expect(later.filter(name => asked.includes(name))).toEqual([])
  const log = await readFile(join(cwd, 'runs', 'parcels-001', 'events.jsonl'), 'utf8')
  const keys = log.split('\n').flatMap(line => {
    const event = line === '' ? undefined : (JSON.parse(line) as { type: string; key?: string })
    return event?.type === 'call.finished' ? [event.key] : []
  })
  expect([keys.length, new Set(keys).size]).toEqual([asked.length, asked.length])
})
