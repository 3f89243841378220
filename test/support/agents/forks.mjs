// An agent that starts other processes: in its own group, in a new session, and in one without its
// environment. With the word "leaves", it exits and leaves the first two behind; otherwise it stays.
import { spawn } from 'node:child_process'

const stay = 'process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1000)'
const begin = options =>
  spawn(process.execPath, ['-e', stay, process.argv[2]], { stdio: 'inherit', ...options })

const leaves = process.argv.includes('leaves')
const children = [begin({}), begin({ detached: true })]
if (!leaves) children.push(begin({ detached: true, env: {} }))
process.stdout.write(`${JSON.stringify({ type: 'pids', pids: children.map(({ pid }) => pid) })}\n`)
if (leaves) process.exit(0)
setInterval(() => undefined, 1000)
