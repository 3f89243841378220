import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Library } from '../src/cli/library.js'
import { main } from '../src/cli/main.js'
import { fakeIo } from './support/fake-io.js'
import { codeBlocks } from './support/markdown.js'
import { shownCommands } from './support/shell.js'
import { expectShown } from './support/shown-output.js'

it('docs/preparing-tasks.md shows what its commands print', async () => {
  const page = readFileSync(fileURLToPath(new URL('../docs/preparing-tasks.md', import.meta.url)), 'utf8')
  const cwd = await mkdtemp(join(tmpdir(), 'skillopt-preparing-'))
  try {
    const table = codeBlocks(page).find(({ language }) => language === 'csv')?.text ?? ''
    await writeFile(join(cwd, 'tickets.csv'), table)
    const commands = shownCommands(page).filter(({ line }) => !line.includes(' cases '))
    expect(commands.map(({ words }) => words[3])).toEqual(['draft', 'check', 'dedupe', 'split'])
    for (const { words } of commands) {
      const io = fakeIo<Library>({ cwd })
      expect(await main(words.slice(2), io), io.err()).toBe(0)
      expectShown('docs/preparing-tasks.md', words[3] ?? '', io.out().trimEnd())
    }
  } finally {
    await rm(cwd, { recursive: true })
  }
})
