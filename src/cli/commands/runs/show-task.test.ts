import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { sampleLog } from '../../../../test/support/sample-run.js'
import { exitCodes } from '../../../core/errors/errors.js'
import type { EventBody } from '../../../core/log/event.js'
import { skillHash } from '../../../core/skill/skill.js'
import { openDiskStore } from '../../../store/disk.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-show-task-'))
  await mkdir(join(cwd, 'runs', 'done'), { recursive: true })
  const store = await openDiskStore(join(cwd, 'runs', 'done'))
  const printed = store.put('x'.repeat(50_000))
  const place = { stage: 'gate', epoch: 1, step: 1 } as const
  const trouble = { kind: 'quota', message: 'Codex: You have hit your usage limit.' }
  const attempt: EventBody<'attempt.finished'> = {
    stage: 'rollout',
    epoch: 1,
    step: 1,
    skill: skillHash(''),
    task: 'notes',
    type: '',
    sample: 0,
    messages: [
      { role: 'system', text: 'The rules.' },
      { role: 'user', text: 'Read the notes.' },
      {
        role: 'assistant',
        text: '',
        toolCalls: [{ id: '1', name: 'shell', arguments: '{"cmd":"cat notes"}' }],
      },
      { role: 'tool', blob: printed, toolCallId: '1' },
      { role: 'assistant', text: 'Done.' },
    ],
    outcome: { status: 'scored', score: { hard: 1, soft: 1, feedback: 'right' }, stop: 'answered' },
  }
  const log = sampleLog()
    .add('attempt.finished', attempt)
    .add('attempt.finished', {
      ...attempt,
      step: 2,
      sample: 1,
      skill: skillHash('another'),
      reward: 0.9,
      tokens: 1200,
      ms: 3210,
    })
    .add('attempt.failed', { ...place, skill: skillHash(''), task: 'late', sample: 0, ...trouble })
  for (const text of log.blobs.values()) store.put(text)
  for (const event of log.events) await store.append(event)
  await store.flush()
  await store.close()
})
afterAll(() => rm(cwd, { recursive: true }))

async function show(...flags: string[]) {
  const io = fakeIo<Library>({ cwd })
  return { code: await main(['show', 'done', ...flags], io), out: io.out(), err: io.err() }
}

it('shows all attempts at a task whole, with the calls of tools and what came of them', async () => {
  const { code, out } = await show('--task', 'notes')
  expect(code).toBe(exitCodes.ok)
  expect(out).toContain(
    'task notes, 2 attempts\n\nattempt 1 of 2: rollout of step 1, with no skill\n\n── user\nRead the',
  )
  expect(out).toContain(
    `→ shell({"cmd":"cat notes"})\n\n── tool\n${'x'.repeat(50_000)}\n\n── assistant\nDone.`,
  )
  expect(out).toContain('score hard 100.0%, soft 100.0% (answered)\nright')
  expect(out).toContain('score hard 100.0%, soft 100.0%, reward 90.0%, 1,200 tokens, 3.2 seconds (answered)')
  expect(out).toContain(`attempt 2 of 2: rollout of step 2, with the skill ${skillHash('another')}, sample 2`)
  expect(out).not.toContain('The rules.')
})

it('tells why one could not be scored, in the words of the agent', async () => {
  const { out } = await show('--task', 'late')
  expect(out).toContain(
    'attempt 1 of 1: gate of step 1, with no skill\n\nnot scored: quota: Codex: You have hit your',
  )
})

it('prints them as JSON', async () => {
  const { out } = await show('--task', 'notes', '--json')
  const attempts = JSON.parse(out)
  expect(attempts).toHaveLength(2)
  expect(attempts[0].messages).toHaveLength(5)
  expect(attempts[0]).toMatchObject({ skill: 'no skill', outcome: { score: { hard: 1 } } })
  expect(attempts[1]).toMatchObject({ reward: 0.9, tokens: 1200, ms: 3210 })
})

it('says which tasks there are attempts at', async () => {
  const { code, err } = await show('--task', 'nope')
  expect(code).toBe(exitCodes.badInput)
  expect(err).toContain('has no attempt at task "nope".')
  expect(err).toContain('It has attempts at v1, v2, v3, v4, t1 and 5 more.')
})
