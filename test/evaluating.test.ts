import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Library } from '../src/cli/library.js'
import { main } from '../src/cli/main.js'
import { fakeIo } from './support/fake-io.js'
import { expectShown, linesBetween } from './support/shown-output.js'

it('docs/evaluating.md shows what a comparison prints', async () => {
  const quickstart = fileURLToPath(new URL('../examples/quickstart', import.meta.url))
  const cwd = await mkdtemp(join(tmpdir(), 'skillopt-evaluating-'))
  try {
    const before = await readFile(join(quickstart, 'SKILL.md'), 'utf8')
    const rules = [
      '- Add a fixed 6 EUR when the destination is remote.',
      '- The volumetric weight is length x width x height / 4000.',
    ]
    await writeFile(join(cwd, 'old.md'), before)
    await writeFile(join(cwd, 'new.md'), `${before}${rules.join('\n')}\n`)
    const io = fakeIo<Library>({ cwd, library: await import('../src/app/index.js') })
    const argv = ['eval', quickstart, 'old.md', 'new.md', '--split', 'test', '--quiet']
    expect(await main(argv, io), io.err()).toBe(0)
    const shown = linesBetween(io.out(), /^task by task/, /^tasks that changed/)
    expectShown('docs/evaluating.md', 'eval', shown.join('\n').trimEnd())
  } finally {
    await rm(cwd, { recursive: true })
  }
})
