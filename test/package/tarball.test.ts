import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** What users get is the packed tarball: it is packed, installed into an empty directory, and run there. */

const run = promisify(execFile)
const repository = fileURLToPath(new URL('../..', import.meta.url))
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
let directory = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'skillopt-package-'))
  await run(npm, ['pack', '--ignore-scripts', '--pack-destination', directory], { cwd: repository })
  const [tarball] = await readdir(directory)
  if (tarball === undefined) throw new Error('npm pack wrote nothing')
  await writeFile(join(directory, 'package.json'), '{"private": true, "type": "module"}\n')
  await run(npm, ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`], {
    cwd: directory,
  })
}, 300_000)

afterAll(() => rm(directory, { recursive: true, force: true }))

const installed = (...path: string[]) => join(directory, 'node_modules', ...path)

describe('the packed tarball', () => {
  it('has the prompts, the example, the schema and the licence, and no sources or tests', async () => {
    const root = await readdir(installed('skillopt'))
    expect(root).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist', 'examples']))
    expect(root).not.toContain('src')
    expect(await readdir(installed('skillopt', 'dist', 'stages', 'prompts'))).toContain('analyst-failure.md')
    expect(
      JSON.parse(await readFile(installed('skillopt', 'dist', 'config.schema.json'), 'utf8')),
    ).toHaveProperty('properties.models')
    const everything = await readdir(installed('skillopt'), { recursive: true })
    expect(everything.filter(file => /\.test\./.test(file))).toEqual([])
  })

  it('runs the quickstart through its command', async () => {
    const { stdout } = await run(process.execPath, [installed('.bin', 'skillopt'), 'quickstart'], {
      cwd: directory,
      maxBuffer: 1 << 24,
    })
    expect(stdout).toContain('simulated')
    const summary = JSON.parse(
      await readFile(join(directory, 'runs', 'quickstart-001', 'summary.json'), 'utf8'),
    )
    expect(JSON.stringify(summary)).toContain('best')
    expect(await readFile(join(directory, 'runs', 'quickstart-001', 'best_skill.md'), 'utf8')).toContain(
      '# Parcel desk',
    )
  }, 120_000)

  it('can be imported, the test server too', async () => {
    const script = `
      import { train, evaluate, defineEnvironment, parseEvent } from 'skillopt'
      import { startLoopbackServer } from 'skillopt/testing'
      const server = await startLoopbackServer({ replies: ['hello'] })
      const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })
      const reply = await fetch(server.url + '/v1/chat/completions', { method: 'POST', body })
      const { choices } = await reply.json()
      await server.close()
      console.log([typeof train, typeof evaluate, typeof defineEnvironment, typeof parseEvent, choices[0].message.content].join())
    `
    await writeFile(join(directory, 'use.mjs'), script)
    const { stdout } = await run(process.execPath, ['use.mjs'], { cwd: directory })
    expect(stdout.trim()).toBe('function,function,function,function,hello')
  })

  it('passes publint', async () => {
    const bin = join(repository, 'node_modules', 'publint', 'src', 'cli.js')
    const { stdout } = await run(process.execPath, [bin, installed('skillopt'), '--strict'], {
      cwd: repository,
    })
    expect(stdout).toContain('All good')
  })
})
