import { text } from 'node:stream/consumers'
import { startLoopbackServer } from '../src/simulated/server.js'

/** The loopback server with no latency and one reply, as a process of its own; it ends when its standard input does. */

const server = await startLoopbackServer({ respond: () => ({ content: '<answer>42</answer>' }) })
process.stdout.write(`${server.url}\n`)
await text(process.stdin)
await server.close()
