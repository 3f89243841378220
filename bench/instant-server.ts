import { text } from 'node:stream/consumers'
import { startLoopbackServer } from '../src/simulated/server.js'

/**
 * The loopback server with zero latency and a fixed reply, in its own process; it exits when its standard
 * input closes.
 */

const server = await startLoopbackServer({ respond: () => ({ content: '<answer>42</answer>' }) })
process.stdout.write(`${server.url}\n`)
await text(process.stdin)
await server.close()
