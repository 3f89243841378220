import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Library } from '../src/cli/library.js'
import { main } from '../src/cli/main.js'
import { startSleep } from './support/docs-world.js'
import { fakeIo } from './support/fake-io.js'
import { shownCommands } from './support/shell.js'
import { expectShown, linesBetween } from './support/shown-output.js'

const page = 'docs/sleep.md'

it(`${page} shows what its commands print`, async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'skillopt-sleep-docs-'))
  const file = join(cwd, 'tasks.yaml')
  try {
    await startSleep(cwd)
    const text = readFileSync(fileURLToPath(new URL(`../${page}`, import.meta.url)), 'utf8')
    // Other tests run harvests and nights.
    for (const { words } of shownCommands(text).filter(({ words }) => words[3] === 'tasks')) {
      if (words[4] === 'import') await review(file)
      const io = fakeIo<Library>({ cwd, env: { HOME: cwd } })
      expect(await main(words.slice(2), io), io.err()).toBe(0)
      const name = words[4] ?? 'list'
      if (words.length === 4 || name === 'show' || name === 'import')
        expectShown(page, name, io.out().trimEnd())
    }
  } finally {
    await rm(cwd, { recursive: true })
  }

  async function review(path: string): Promise<void> {
    const written = await readFile(path, 'utf8')
    const shown = linesBetween(written, /^ {2}- id: update-the-changelog/, /^ {4}writtenBy/)
    expectShown(page, 'file', shown.join('\n'))
    const changed = written.replace('reviewed: false', 'reviewed: true').replace('It names', 'It says')
    await writeFile(path, changed)
  }
})
