import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { ConfigInput } from '../core/config/config.js'
import { canonicalJson } from '../core/text/hash.js'
import { assembleForEvaluation } from '../project/assemble.js'
import { loadProject } from '../project/load.js'
import { product } from '../system/version.js'
import { attemptIdentity, cacheIdentity } from './run-identity.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-identity-'))
})
afterAll(() => rm(folder, { recursive: true }))

const target = {
  model: 'openai-compatible/one',
  endpoint: 'http://127.0.0.1:9/v1',
  apiKeyEnv: 'KEY',
  temperature: 0,
}
const rubric = { name: 'rubric', rubric: 'It is right.', votes: 3 }
const environment = { use: 'tasks', train: 't.jsonl', val: 'v.jsonl', test: 'e.jsonl', scorer: rubric }
const judge = { ...target, model: 'openai-compatible/judge' }
const base: ConfigInput = { environment, models: { target, judge, optimizer: 'simulated/optimizer' } }
const ownScript = 'export const right = 1\n'
const ownEnvironment = `import { right } from './right.js'
import { defineEnvironment } from 'skillopt'
export default defineEnvironment({
  id: 'own',
  tasks: split => [{ id: split }],
  prompt: () => 'What?',
  score: () => right,
})
`

/** The combined identity that two runs must share, for a project loaded from disk. */
async function identity(config: ConfigInput, files: Record<string, string> = {}): Promise<string> {
  const task = (id: string) => JSON.stringify({ id, question: `Say ${id}.`, answer: id })
  const all = {
    'SKILL.md': '# Skill\n',
    't.jsonl': task('t'),
    'v.jsonl': task('v'),
    'e.jsonl': task('e'),
    'own.ts': ownEnvironment,
    'right.ts': ownScript,
    'check.py': 'exit(0)',
    'skillopt.yaml': stringify(config),
    ...files,
  }
  for (const [name, text] of Object.entries(all)) await writeFile(join(folder, name), text)
  const loaded = await loadProject({ project: folder, cwd: folder, env: { KEY: 'sk-unused' }, trust: true })
  const setup = await assembleForEvaluation(loaded)
  return canonicalJson([attemptIdentity(setup), cacheIdentity(setup)])
}

const withTarget = (more: object) => ({ ...base, models: { ...base.models, target: { ...target, ...more } } })
const withEnvironment = (more: object) => ({ ...base, environment: { ...environment, ...more } })
const own = { ...base, environment: { use: './own.ts' } }
const command = { ...base, sandbox: 'none' as const, environment: { ...environment, scorer: checks() } }
function checks(more: object = {}) {
  return { name: 'command', command: ['true'], files: ['check.py'], ...more }
}

it('differs with everything that an attempt depends on', async () => {
  const identities = {
    base: await identity(base),
    temperature: await identity(withTarget({ temperature: 0.5 })),
    model: await identity(withTarget({ model: 'openai-compatible/two' })),
    endpoint: await identity(withTarget({ endpoint: 'http://127.0.0.1:10/v1' })),
    effort: await identity(withTarget({ effort: 'high' })),
    maxOutputTokens: await identity(withTarget({ maxOutputTokens: 100 })),
    extraBody: await identity(withTarget({ extraBody: { top_p: 0.5 } })),
    seed: await identity(withTarget({ seed: true })),
    judge: await identity({ ...base, models: { ...base.models, judge: { ...judge, temperature: 1 } } }),
    votes: await identity(withEnvironment({ scorer: { ...rubric, votes: 5 } })),
    rubric: await identity(withEnvironment({ scorer: { ...rubric, rubric: 'It is short.' } })),
    instructions: await identity(withEnvironment({ instructions: 'Be brief.' })),
    prompt: await identity(withEnvironment({ prompt: 'Well: {{question}}' })),
    command: await identity(command),
    'the file of the command': await identity(command, { 'check.py': 'exit(1)' }),
    'own environment': await identity(own),
    'its code': await identity(own, { 'own.ts': `${ownEnvironment}// changed\n` }),
    'what its code imports': await identity(own, { 'right.ts': 'export const right = 0\n' }),
  }
  expect(new Set(Object.values(identities)).size).toBe(Object.keys(identities).length)
  expect(identities.base).toContain(product)
})

it('stays the same for settings that no attempt depends on', async () => {
  const same = await identity(base)
  expect(await identity(base)).toBe(same)
  expect(await identity({ ...base, train: { epochs: 9, seed: 1 }, cache: true })).toBe(same)
  expect(await identity({ ...base, evaluation: { gate: 'always' }, limits: { maxCalls: 5 } })).toBe(same)
  expect(await identity(withTarget({ concurrency: 3, retries: 0, timeout: 7, stream: true }))).toBe(same)
  // The skill and the tasks are part of each attempt's key.
  expect(
    await identity(base, {
      'SKILL.md': '# Other\n',
      'v.jsonl': '{"id":"v2","question":"What?","answer":"1"}',
    }),
  ).toBe(same)
})
