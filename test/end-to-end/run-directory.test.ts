import { spawn } from 'node:child_process'
import { chmod, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, it } from 'vitest'
import { put, skillopt, temporaryFolder, writeProject } from './support.js'

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

let cwd: string
beforeEach(async () => {
  cwd = await temporaryFolder()
  await writeProject(join(cwd, 'project'))
})

/** Runs as an ordinary user, because no directory is read-only for root. */
function asUser(args: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const env = { PATH: process.env.PATH ?? '', NO_COLOR: '1', HOME: cwd }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [command, ...args], { cwd, env, ...user })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.once('error', reject)
    child.once('close', code => resolve({ code, stderr }))
  })
}

it.each([
  ['train', ['train', 'project']],
  ['eval', ['eval', 'project', '--split', 'test']],
  ['try', ['try', 'project', '--task', 'train-001']],
  ['train --out', ['train', 'project', '--out', 'runs/mine']],
])('refuses %s in words where runs is a file', async (_name, args) => {
  await put(cwd, 'runs', 'mine\n')
  const { code, stderr } = await skillopt(args, { cwd })
  expect(code).toBe(2)
  expect(stderr).toContain(join(cwd, 'runs'))
  expect(stderr).not.toContain('bug in skillopt')
  expect(stderr.trim().split('\n')).toHaveLength(2)
})

it('refuses an unwritable run directory with a clear message', async () => {
  const directory = join(cwd, 'runs', 'mine')
  await mkdir(directory, { recursive: true })
  await chmod(cwd, 0o755)
  await chmod(directory, 0o555)
  const { code, stderr } = await asUser(['train', 'project', '--out', 'runs/mine'])
  expect(stderr).toContain(`${directory} cannot be opened: EACCES`)
  expect(stderr).toContain('you may read and write it')
  expect(stderr).not.toContain('bug in skillopt')
  expect(code).toBe(2)
  expect(await readdir(directory)).toEqual([])
})
