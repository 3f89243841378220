import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LogBuilder } from '../../test/support/sample-run.js'
import { expectShown } from '../../test/support/shown-output.js'
import type { RunEvent } from '../core/log/event.js'
import { openLogFile, prepareLogFile } from './log-file.js'
import { withTexts } from './texts.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-log-'))
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

const place = { stage: 'rollout', epoch: 1, step: 1 } as const

function log(): LogBuilder {
  const builder = new LogBuilder().start()
  return builder
    .add('call.failed', {
      ...place,
      role: 'target',
      try: 1,
      kind: 'login',
      message: 'refused sk-secret',
    })
    .add('call.finished', {
      ...place,
      role: 'target',
      model: 'openai/m',
      stop: 'stop',
      ms: 4,
      tries: 2,
      messages: [{ role: 'user', blob: builder.put('my prompt') }],
      reply: { role: 'assistant', text: 'my answer' },
      usage: { input: 12 },
    })
    .add('optimizer.failed', { ...place, message: 'not JSON: my reply' })
    .add('run.stopped', { reason: 'failed', message: 'A bug.' })
}

interface Settings {
  level?: 'debug' | 'info' | 'warn' | 'error'
  texts?: boolean
}

async function written(events: readonly RunEvent[], { level = 'debug', texts = false }: Settings = {}) {
  const file = join(folder, 'logs', 'run.log')
  const redact = (text: string) => text.replaceAll('sk-secret', '[redacted]')
  const get = log().reader().get
  const context = { run: 'sample-run', get, notice: expect.fail }
  await prepareLogFile(file)
  const opened = await openLogFile({ file, level, redact }, context)
  const reader = texts ? withTexts(opened, get) : opened
  for (const event of events) reader.event(event)
  await reader.close()
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  return lines.map(line => JSON.parse(line) as Record<string, unknown>)
}

describe('the log file', () => {
  it('has a line for each event, with its time, level and figures', async () => {
    const { events } = log()
    const lines = await written(events)
    expect(lines.map(({ event, level }) => [event, level])).toEqual([
      ['run.started', 30],
      ['session.started', 30],
      ['call.failed', 40],
      ['call.finished', 20],
      ['optimizer.failed', 40],
      ['run.stopped', 50],
    ])
    expect(lines[3]).toMatchObject({
      time: events[3]?.at,
      seq: 3,
      run: 'sample-run',
      msg: 'call.finished',
      stage: 'rollout',
      role: 'target',
      model: 'openai/m',
      'usage.input': 12,
      messages: 1,
    })
  })

  it('is as the docs show it', async () => {
    const builder = new LogBuilder().start()
    builder.add('call.finished', {
      ...place,
      role: 'target',
      model: 'openai/gpt-5-nano',
      messages: [
        { role: 'system', blob: builder.put('skill') },
        { role: 'user', blob: builder.put('question') },
      ],
      reply: { role: 'assistant', text: 'answer' },
      stop: 'stop',
      usage: { input: 412, output: 57 },
      cost: 0.00004,
      ms: 840,
      tries: 1,
    })
    await written(builder.events)
    const lines = (await readFile(join(folder, 'logs', 'run.log'), 'utf8')).trim().split('\n')
    expectShown('docs/telemetry.md', 'line', lines.at(-1) ?? '')
  })

  it('has no secret, no prompt, no answer and no config', async () => {
    const text = JSON.stringify(await written(log().events))
    expect(text).toContain('refused [redacted]')
    expect(text).not.toMatch(/sk-secret|my prompt|my answer|my reply|batchSize/)
  })

  it('has prompts and answers if asked, and still no secret', async () => {
    const lines = await written(log().events, { texts: true })
    expect(lines.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5])
    expect(lines[3]).toMatchObject({
      prompt: [{ role: 'user', text: 'my prompt' }],
      reply: { role: 'assistant', text: 'my answer' },
    })
    expect(JSON.stringify(lines)).not.toContain('sk-secret')
  })

  it('leaves out what is below its level, and adds to what is there', async () => {
    expect((await written(log().events, { level: 'error' })).map(({ event }) => event)).toEqual([
      'run.stopped',
    ])
    expect(await written(log().events, { level: 'warn' })).toHaveLength(4)
  })

  it('refuses a place that cannot be written', async () => {
    await writeFile(join(folder, 'logs'), 'a file, and no folder')
    await expect(written([])).rejects.toThrow(/telemetry\.logFile: .* cannot be written/)
  })
})
