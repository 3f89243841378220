// An agent that keeps starting processes, each in a new session and without its environment.
import { spawn } from 'node:child_process'

let left = 150
const begin = () => {
  spawn('/bin/sh', ['-c', 'sleep 60; :', process.argv[2]], { detached: true, env: {}, stdio: 'ignore' })
  left -= 1
  if (left === 140) process.stdout.write(`${JSON.stringify({ type: 'answer', text: 'more to come' })}\n`)
  if (left > 0) setImmediate(begin)
}
begin()
setInterval(() => undefined, 1000)
