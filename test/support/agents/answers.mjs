// An agent that answers: it echoes its input, uses the offered tools, and leaves a file.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'

const say = record => process.stdout.write(`${JSON.stringify(record)}\n`)
const task = readFileSync(0, 'utf8')
const { TASK_URL, TASK_TOKEN } = process.env

async function ask(method, params) {
  const response = await fetch(TASK_URL, {
    method: 'POST',
    headers: { authorization: `Bearer ${TASK_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()).result
}

if (TASK_URL !== undefined) {
  await ask('initialize', { protocolVersion: '2025-06-18' })
  const { tools } = await ask('tools/list')
  for (const { name } of tools) {
    const given = { message: 'hello' }
    const { content } = await ask('tools/call', { name, arguments: given })
    say({ type: 'tool', name, given, result: content[0].text })
  }
}
mkdirSync('made', { recursive: true })
writeFileSync('made/answer.txt', `answer to: ${task}`)
say({
  type: 'world',
  task,
  arguments: process.argv.slice(2),
  cwd: process.cwd(),
  env: process.env,
  files: readdirSync('.').sort(),
})
say({ type: 'answer', text: `answer to: ${task}` })
