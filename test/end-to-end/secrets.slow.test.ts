import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectSilence, ProxiedProject, type Refusal } from './secrets-support.js'
import { eventsOf, filesOf, ofType } from './support.js'

/** Keys and passwords appear only on the wire: in no log, file or output, whatever the server replies. */

const project = new ProxiedProject()

const json =
  (status: number): Refusal =>
  (headers, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    const message = `Incorrect API key provided: ${headers}.`
    response.end(
      JSON.stringify({ error: { message, type: 'invalid_request_error', code: 'invalid_api_key' } }),
    )
  }
const page =
  (status: number): Refusal =>
  (headers, response) => {
    response.writeHead(status, { 'content-type': 'text/html', 'retry-after': '0' })
    response.end(`<html><body><h1>Bad gateway</h1><p>You sent: ${headers}</p></body></html>`)
  }
const garbage: Refusal = (headers, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(`{"choices": "${headers}`)
}
const stream: Refusal = (headers, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(
    `data: ${JSON.stringify({ error: { message: `You sent ${headers}`, type: 'server_error' } })}\n\n`,
  )
}
const redirect: Refusal = (headers, response) => {
  response.writeHead(302, { location: `http://elsewhere.invalid/?key=${encodeURIComponent(headers)}` })
  response.end()
}

describe('a provider that repeats the key in what it says', () => {
  const refusals: readonly (readonly [name: string, answer: Refusal])[] = [
    ['refuses the login', json(401)],
    ['refuses it with a page', page(403)],
    ['redirects', redirect],
    ['has no such model', json(404)],
    ['rejects the request', json(400)],
  ]
  it.each(refusals)('%s', async (name, answer) => {
    project.refuse = number => (number > 20 ? answer : undefined)
    const directory = name.replaceAll(' ', '-')
    const stopped = await project.run('train', 'project', '--out', directory, '--yes')
    expect(stopped.code).toBe(3)
    const failed = ofType(await eventsOf(join(project.cwd, directory)), 'call.failed')
    expect(failed[0]?.body.message).toContain('[redacted]')
    await project.expectNoTrace(directory, stopped, await project.run('show', directory))
  })

  it('fails now and then', async () => {
    const answers = [json(500), page(502), garbage, page(429), stream]
    project.refuse = number =>
      number % 12 === 5 ? answers[Math.floor(number / 12) % answers.length] : undefined
    const trained = await project.run('train', 'project', '--out', 'flaky', '--yes')
    expect(trained.code).toBe(0)
    const failed = ofType(await eventsOf(join(project.cwd, 'flaky')), 'call.failed')
    expect(failed.length).toBeGreaterThan(5)
    expect(failed.some(({ body }) => body.message.includes('[redacted]'))).toBe(true)
    await project.expectNoTrace('flaky', trained)
  })

  it('is asked by doctor and try', async () => {
    project.refuse = () => json(401)
    const doctor = await project.run('doctor', 'project', '--online')
    expect(doctor.stdout).toMatch(/rejected the credentials/)
    const attempt = await project.run('try', 'project', '--task', 'train-001')
    expect(attempt.code).toBe(3)
    const evaluation = await project.run('eval', 'project', '--split', 'test', '--yes', '--json')
    expect(evaluation.code).toBe(3)
    for (const { stdout, stderr } of [doctor, attempt, evaluation]) expectSilence(stdout, stderr)
    for (const text of Object.values(await filesOf(join(project.cwd, 'runs')))) expectSilence(text)
  })
})
