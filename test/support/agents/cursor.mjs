#!/usr/bin/env node
// Stand-in for Cursor's command line, which cannot be installed here: it prints and refuses according to its
// documentation. The model's name selects one of test/fixtures/agents/cursor. It writes its input and
// findings to `seen.json`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const given = process.argv.slice(2)
const after = name => given[given.indexOf(name) + 1]
const { HOME, CURSOR_API_KEY } = process.env
const fixtures = new URL('../../fixtures/agents/cursor/', import.meta.url)
const { cases } = JSON.parse(readFileSync(new URL('recorded.json', fixtures), 'utf8'))

if (given.includes('--version')) {
  process.stdout.write('2026.09.18-9a7762b\n')
  process.exit(0)
}

const show = name => {
  const { exitCode, stderr = '' } = cases[name]
  process.stdout.write(readFileSync(new URL(`${name}.jsonl`, fixtures), 'utf8'))
  process.stderr.write(stderr)
  process.exitCode = exitCode
}

const jsonIn = (...names) => {
  const path = join(HOME, ...names)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

/** Text that an invoked skill adds to the conversation. */
const skillIn = prompt => {
  const name = /^\/(\S+)/.exec(prompt)?.[1]
  return name === undefined ? undefined : readFileSync(join('.cursor', 'skills', name, 'SKILL.md'), 'utf8')
}

const askServer = async ({ url, headers }, params) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  })
  return response.json()
}

const prompt = readFileSync(0, 'utf8')
const { permissions } = jsonIn('.cursor', 'cli-config.json') ?? {}
const { mcpServers = {} } = jsonIn('.cursor', 'mcp.json') ?? {}
const isLoggedIn = CURSOR_API_KEY !== undefined || existsSync(join(HOME, '.config', 'cursor', 'auth.json'))
const model = after('--model')

process.stderr.write(
  `${JSON.stringify({ given, prompt, skill: skillIn(prompt), permissions, mcpServers })}\n`,
)
if (!isLoggedIn) show('not-logged-in')
else if (!given.includes('--trust')) show('no-trust')
else if (cases[model] === undefined) show('no-model')
else {
  const look = { name: 'look', arguments: { room: 'hall' } }
  const answer = model === 'mcp-tool' ? await askServer(mcpServers.task, look) : undefined
  if (model === 'tool') writeFileSync('notes.txt', 'one\ntwo\n')
  const seen = { given, prompt, skill: skillIn(prompt), permissions, answer }
  writeFileSync('seen.json', JSON.stringify(seen))
  show(model)
}
