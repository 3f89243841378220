import { text } from 'node:stream/consumers'
import { usualCharacter } from './character.js'
import type { SimulatedProcessOptions } from './process.js'
import { answerSimulated, simulatedModels } from './responder.js'
import { startLoopbackServer } from './server.js'

/**
 * Runs the simulated models as a separate process. It reads its options from the first line of stdin, prints
 * its port to stdout, and exits when stdin ends. The kernel closes stdin however the parent ends, so a killed
 * parent leaves no process behind.
 */

async function firstLine(): Promise<string> {
  let received = ''
  for await (const chunk of process.stdin.iterator({ destroyOnReturn: false })) {
    received += String(chunk)
    const end = received.indexOf('\n')
    if (end !== -1) return received.slice(0, end)
  }
  throw new Error('simulated model: standard input ended before the options came')
}

const { character, ...options }: SimulatedProcessOptions = JSON.parse(await firstLine())
const server = await startLoopbackServer({
  ...options,
  respond: request => answerSimulated(request, { ...usualCharacter, ...character }),
  models: simulatedModels,
})
process.stdout.write(`${JSON.stringify({ port: server.port })}\n`)
await text(process.stdin)
await server.close()
