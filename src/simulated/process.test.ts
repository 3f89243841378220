import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { runTypescript } from '../../test/run-typescript.js'
import { timeLimit } from '../../test/support/time-limit.js'
import { startSimulatedProcess } from './process.js'

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/v1/models`)).ok
  } catch {
    return false
  }
}

async function untilSilent(url: string): Promise<boolean> {
  const end = Date.now() + timeLimit(5000)
  while (Date.now() < end) {
    if (!(await answers(url))) return true
    await new Promise(resolve => setTimeout(resolve, 25))
  }
  return false
}

/** Starts a process that starts the simulated models, prints their address, and then runs `rest`. */
function startParent(rest: string) {
  const program = `
    const { startSimulatedProcess } = await load('src/simulated/process.ts')
    console.log((await startSimulatedProcess()).url)
    ${rest}`
  return runTypescript(program, [])
}

describe('the simulated models in a process of their own', () => {
  it('answers as target and optimizer until closed', async () => {
    const simulated = await startSimulatedProcess({ apiKey: 'some-key' })
    const headers = { authorization: 'Bearer some-key' }
    const list = JSON.parse(await (await fetch(`${simulated.url}/v1/models`)).text())
    expect(list.data.map((model: { id: string }) => model.id)).toEqual([
      'target',
      'target-hasty',
      'target-literal',
      'optimizer',
      'judge',
    ])
    const ask = (model: string) =>
      fetch(`${simulated.url}/v1/chat/completions`, {
        method: 'POST',
        headers,
        body: JSON.stringify({
          model,
          messages: [
            { role: 'user', content: 'The declared value is 500 EUR. What is the insurance premium?' },
          ],
        }),
      })
    for (const model of ['target', 'simulated/target', 'optimizer'])
      expect((await ask(model)).status).toBe(200)
    expect((await ask('gpt')).status).toBe(404)
    const messages = [{ role: 'user', content: 'Hello' }]
    const byMessages = await fetch(`${simulated.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'some-key' },
      body: JSON.stringify({ model: 'target', max_tokens: 99, messages }),
    })
    expect(JSON.parse(await byMessages.text())).toMatchObject({
      type: 'message',
      content: [{ type: 'text' }],
    })
    expect(simulated.pid).not.toBe(process.pid)
    await simulated.close()
    await simulated.close()
    expect(await answers(simulated.url)).toBe(false)
  })

  it('uses the configured character', async () => {
    const ask = async (slips: number): Promise<string> => {
      const simulated = await startSimulatedProcess({ character: { slips } })
      const messages = [
        { role: 'user', content: 'The declared value is 500 EUR. What is the insurance premium?' },
      ]
      const body = JSON.stringify({ model: 'target', messages, seed: 1 })
      const reply = await fetch(`${simulated.url}/v1/chat/completions`, { method: 'POST', body })
      await simulated.close()
      return JSON.parse(await reply.text()).choices[0].message.content
    }
    const [sure, again, slipping] = [await ask(0), await ask(0), await ask(1)]
    expect(again).toBe(sure)
    expect(slipping).not.toBe(sure)
  })

  it('says why it could not start', async () => {
    const simulated = await startSimulatedProcess()
    await expect(startSimulatedProcess({ port: simulated.port })).rejects.toThrow(
      /simulated model: .*EADDRINUSE/s,
    )
    await simulated.close()
  })

  it('ends when its parent is killed', async () => {
    const parent = startParent('setInterval(() => {}, 1000)')
    const [line] = await once(parent.stdout, 'data')
    const url = String(line).trim()
    expect(await answers(url)).toBe(true)
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    expect(await untilSilent(url)).toBe(true)
  })

  it('does not keep its parent alive', async () => {
    const parent = startParent('')
    const exited = once(parent, 'exit')
    const [line] = await once(parent.stdout, 'data')
    const [code] = await exited
    expect(code).toBe(0)
    expect(await untilSilent(String(line).trim())).toBe(true)
  })
})
