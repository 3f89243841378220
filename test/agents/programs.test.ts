import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { versionSupport } from '../../src/agents/shared/harness/definition.js'
import { installable, kitOf, programOf } from './programs.js'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const programs = JSON.parse(readFileSync(here('./programs/package.json'), 'utf8'))

const isTest = (name: string) => /\.(test|agents)\.ts$/.test(name)

describe.each(installable)('%s', id => {
  it('is installed at a version that the product calls tested, and tested with all that can go wrong', async () => {
    const version = programs.dependencies[programs.agents[id]]
    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
    const { agent } = await kitOf(id)
    expect(agent.id).toBe(id)
    expect(versionSupport(version, agent.version.tested)).toBe('tested')
    const files = (await readdir(here('.'), { recursive: true })).filter(name => name.includes(`${id}.`))
    const texts = files.filter(isTest).map(name => readFileSync(here(name), 'utf8'))
    for (const part of ['work', 'faults', 'training'])
      expect(texts.join()).toMatch(new RegExp(`testAgent\\('${id}'[^.]*'${part}'`))
    expect(texts.join()).toContain(`testTranscripts('${id}')`)
  })
})

describe('the script that installs them', () => {
  let cache: string
  beforeEach(async () => {
    cache = await mkdtemp(join(tmpdir(), 'skillopt-agents-cache-'))
    vi.stubEnv('SKILLOPT_AGENTS_CACHE', cache)
    // Nothing listens there: this acts like a missing network, without delay.
    vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9')
    vi.stubEnv('npm_config_fetch_retries', '0')
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await rm(cache, { recursive: true })
  })

  function install(...names: string[]) {
    const script = here('../../scripts/install-agents.mjs')
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...names], { encoding: 'utf8' })
    return { status, stdout, stderr }
  }

  it('says in a sentence what it does not know', () => {
    const { status, stdout, stderr } = install('codex', 'clippy')
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(/^There is no agent "clippy" here: claude-code, codex, .*\.\n$/)
  })

  it('says in a sentence what kept it from installing, and leaves nothing half-done', async () => {
    const { status, stdout, stderr } = install('pi')
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(/^pi \S+: installing \S+ into /)
    expect(stderr).toMatch(
      /\npi could not be installed: npm install ended with 1: .*ECONNREFUSED.* npm registry/,
    )
    expect(stderr.trim().split('\n')).toHaveLength(2)
    expect(await readdir(cache)).toEqual([])
  })

  it('takes what is there already, without asking the registry', async () => {
    const folder = join(cache, `pi-${programs.dependencies[programs.agents.pi]}`)
    const own = join(folder, 'node_modules', programs.agents.pi)
    await mkdir(own, { recursive: true })
    await writeFile(join(own, 'package.json'), '{"bin": {"pi": "pi.js"}}')
    const stdout = `${join(folder, 'node_modules', '.bin', 'pi')}\n`
    expect(install('pi')).toEqual({ status: 0, stdout, stderr: '' })
  })

  it('is called by the tests, which fail in CI and say elsewhere what they leave out', async () => {
    vi.stubEnv('CI', '1')
    await expect(programOf('pi')).rejects.toThrow(
      /The tests with the real pi need it installed\. .*ECONNREFUSED/,
    )
    vi.stubEnv('CI', undefined)
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    expect(await programOf('pi')).toBeUndefined()
    expect(String(written.mock.calls[0]?.[0])).toMatch(/!!! SKIPPED: The tests with the real pi need it/)
    written.mockRestore()
  })
})
