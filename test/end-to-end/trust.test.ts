import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type LoopbackServer, startLoopbackServer } from '../../src/testing/index.js'
import { parcelDesk, put, skillopt, temporaryFolder, writeProject } from './support.js'

/** A repository written by somebody else, on a machine whose shell has a key. */

let root: string
let home: string
let clone: string
let marker: string

const shellKey = 'sk-shell-key-0123456789abcdef'

beforeEach(async () => {
  root = await temporaryFolder()
  home = join(root, 'home')
  clone = join(root, 'clone')
  marker = join(root, 'code-was-run')
  await put(home, 'note.txt', '')
  await writeProject(clone)
  await put(clone, 'evil.mjs', evilModule('first'))
})

const evilModule = (text: string) =>
  `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(marker)}, '${text}')\nexport default () => { throw new Error('never') }\nexport const embedder = { id: 'evil', embed: async () => [] }\n`

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  skillopt(args, { cwd: clone, env: { HOME: home, OPENAI_API_KEY: shellKey, ...env } })

const wasRun = () => existsSync(marker)

async function recordingServer(): Promise<LoopbackServer> {
  return startLoopbackServer({ respond: parcelDesk })
}

const openAi = { target: 'openai/gpt-5-mini', optimizer: 'openai/gpt-5-mini' }

describe('a .env file in a folder', () => {
  it('decides no code: its SKILLOPT_ variables are ignored and named', async () => {
    await put(clone, '.env', 'SKILLOPT_EVALUATION_GATE=./evil.mjs\nSKILLOPT_ENVIRONMENT_USE=./evil.mjs\n')
    for (const args of [
      ['train', '--dry-run'],
      ['sleep', 'run', '--dry-run'],
    ]) {
      const { stdout, stderr } = await run(args)
      expect(wasRun(), args.join(' ')).toBe(false)
      expect(`${stdout}${stderr}`, args.join(' ')).toContain(
        'ignored SKILLOPT_ENVIRONMENT_USE and SKILLOPT_EVALUATION_GATE',
      )
    }
  })

  it('sends the shell’s key to no other host', async () => {
    const server = await recordingServer()
    try {
      await writeProject(clone, { config: { models: openAi } })
      await put(clone, '.env', `OPENAI_BASE_URL=${server.url}/v1\nHTTPS_PROXY=${server.url}\n`)
      const { stdout } = await run(['doctor'])
      expect(stdout).toContain('ignored HTTPS_PROXY and OPENAI_BASE_URL')
      expect(stdout).not.toMatch(/ok +HTTPS_PROXY/)
      // An address that refuses at once: it only matters that it is not the repository's server.
      const tried = await run(['try', '--task', 'train-001', '--set', 'models.target.retries=0'], {
        HTTPS_PROXY: 'http://127.0.0.1:1',
      })
      expect(tried.code).not.toBe(0)
      expect(server.counters.requests).toBe(0)
    } finally {
      await server.close()
    }
  })
})

describe('a config that names code', () => {
  it('runs once it is trusted, and asks again when the code changes', async () => {
    await writeProject(clone, { config: { evaluation: { gate: './evil.mjs' } } })
    const trusted = await run(['trust', '--yes'])
    expect(trusted).toMatchObject({ code: 0 })
    expect(trusted.stdout).toContain('./evil.mjs')
    expect(wasRun()).toBe(false)
    await run(['train', '--dry-run'])
    expect(wasRun()).toBe(true)

    await rm(marker)
    await writeFile(join(clone, 'evil.mjs'), evilModule('second'))
    const changed = await run(['train', '--dry-run'])
    expect(changed.stderr).toContain('has changed since it was trusted')
    expect(wasRun()).toBe(false)

    await run(['train', '--dry-run', '--trust'])
    expect(wasRun()).toBe(true)
    await rm(marker)
    // A flag applies to one command only.
    await run(['train', '--dry-run'])
    expect(wasRun()).toBe(false)
  })

  it('is not asked about in a project that was made here, nor for what the command line names', async () => {
    expect(await run(['init', '../mine', '--environment', 'parcels'])).toMatchObject({ code: 0 })
    const mine = await run(['train', '../mine', '--dry-run'])
    expect(mine).toMatchObject({ code: 0, stderr: '' })
    await run(['train', '--dry-run', '--set', 'evaluation.gate=./evil.mjs'])
    expect(wasRun()).toBe(true)
  })
})

describe('a config that names a host', () => {
  const said = (host: string) =>
    `OPENAI_API_KEY and all texts of the target and the optimizer go to http://${host}`

  it('sends no key to it before the project is trusted, and says where it goes', async () => {
    const server = await recordingServer()
    try {
      const model = { model: 'openai/gpt-5-mini', endpoint: `${server.url}/v1`, retries: 0 }
      await writeProject(clone, { config: { models: { target: model, optimizer: model } } })
      const host = new URL(server.url).host
      for (const args of [
        ['train', '--yes'],
        ['try', '--task', 'train-001'],
        ['doctor', '--online'],
      ]) {
        const { stdout, stderr } = await run(args)
        expect(`${stdout}${stderr}`, args.join(' ')).toContain(`models.target.endpoint`)
        expect(server.counters.requests, args.join(' ')).toBe(0)
      }
      await run(['trust', '--yes'])
      const forecast = await run(['train', '--dry-run'])
      expect(forecast.stderr).toContain(said(host))
      expect(server.counters.requests).toBe(0)
    } finally {
      await server.close()
    }
  })
})
