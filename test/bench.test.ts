import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'

/** Benchmarks run rarely, and from a different folder than their sources: this checks that they can start. */

const root = fileURLToPath(new URL('..', import.meta.url))
const folders: string[] = []
afterAll(() =>
  Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true, maxRetries: 5 }))),
)

function check(folder: string) {
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'bench', 'run.mjs'), '--check'], {
    encoding: 'utf8',
  })
  return { status, lost: stderr.split('\n').filter(line => line !== '') }
}

/** A repository with these files and this repository's benchmark runner. */
async function repositoryOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skillopt-bench-'))
  folders.push(folder)
  for (const [path, text] of Object.entries({ 'test/world.ts': '', 'bench/run.mjs': '', ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  await copyFile(join(root, 'bench', 'run.mjs'), join(folder, 'bench', 'run.mjs'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir')
  return folder
}

it('finds every import of every benchmark where it is run', () => {
  expect(check(root)).toEqual({ status: 0, lost: [] })
})

it('names every benchmark that has a script, and each of them is there', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const named = Object.keys(scripts).flatMap(name => (name.startsWith('bench:') ? [name.slice(6)] : []))
  const { stderr } = spawnSync(process.execPath, [join(root, 'bench', 'run.mjs')], { encoding: 'utf8' })
  const listed = stderr
    .replace('Name a benchmark: ', '')
    .trim()
    .replace(/\.$/, '')
    .split(/, | or /)
  expect(listed.toSorted()).toEqual(named.toSorted())
  expect(await readdir(join(root, 'bench'))).toEqual(expect.arrayContaining(named.map(name => `${name}.ts`)))
})

it('notices a file that has moved, also behind another import', async () => {
  const folder = await repositoryOf({
    'src/core/here.ts': 'export const here = 1\n',
    'bench/speed.ts':
      "import { here } from '../src/core/here.js'\nimport { gone } from '../src/core/gone.js'\nimport './world.js'\nconsole.log(here, gone)\n",
    'test/world.ts': "import { play } from './support/play.js'\nexport const world = play\n",
    'test/support/play.ts': 'export const play = 1\n',
  })
  expect(check(folder)).toEqual({
    status: 1,
    lost: [
      'bench-results/speed.js would import ../dist/core/gone.js, which is not there.',
      'bench-results/world.js would import ./support/play.js, which is not there.',
    ],
  })
})

it('finds nested test support files', async () => {
  const folder = await repositoryOf({
    'src/core/here.ts': 'export const here = 1\n',
    'bench/speed.ts': "import { model } from './agents/model.js'\nconsole.log(model)\n",
    'test/agents/model.ts':
      "import { here } from '../../src/core/here.js'\nimport { kit } from './kits/one.js'\nexport const model = [here, kit]\n",
    'test/agents/kits/one.ts': "import { gone } from '../../../src/core/gone.js'\nexport const kit = gone\n",
  })
  expect(check(folder)).toEqual({
    status: 1,
    lost: ['bench-results/agents/kits/one.js would import ../../../dist/core/gone.js, which is not there.'],
  })
})

it('finds modules in subfolders of the benchmarks, and leaves their tests out', async () => {
  const folder = await repositoryOf({
    'src/core/here.ts': 'export const here = 1\n',
    'bench/speed.ts': "import { part } from './parts/one.js'\nconsole.log(part)\n",
    'bench/parts/one.ts':
      "import { here } from '../../src/core/here.js'\nimport { gone } from '../../src/core/gone.js'\nimport { world } from '../../test/world.js'\nexport const part = [here, gone, world]\n",
    'bench/parts/one.test.ts': "import '../../src/core/gone.test.js'\n",
    'test/world.ts': 'export const world = 1\n',
  })
  expect(check(folder)).toEqual({
    status: 1,
    lost: ['bench-results/parts/one.js would import ../../dist/core/gone.js, which is not there.'],
  })
})

it('ignores files that no benchmark imports', async () => {
  const folder = await repositoryOf({
    'bench/speed.ts': "import type { Old } from '../src/core/old.js'\nexport type New = Old\n",
    'test/other.ts': "import './support/elsewhere.js'\n",
  })
  expect(check(folder)).toEqual({ status: 0, lost: [] })
})
