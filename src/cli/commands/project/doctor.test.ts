import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { exitCodes } from '../../../core/errors/errors.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

const project = fileURLToPath(new URL('../../../../examples/quickstart', import.meta.url))

let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-doctor-'))
})
afterAll(() => rm(cwd, { recursive: true }))

async function findings(path: string, text: string, ...words: string[]): Promise<string> {
  await mkdir(dirname(join(cwd, path)), { recursive: true })
  await writeFile(join(cwd, path), text)
  const io = fakeIo<Library>({ cwd })
  expect(await main(['doctor', project, '--set', `skill=${path}`, ...words], io)).toBe(exitCodes.ok)
  return io.out()
}

describe('what doctor says of a skill', () => {
  it('is its size, and nothing more if it is an Agent Skill', async () => {
    const text = '---\nname: sums\ndescription: Adds.\n---\nAdd.\n'
    const out = await findings('sums/SKILL.md', text)
    expect(out).toMatch(/^ok {4}skill sums\/SKILL\.md: 43 characters, about 12 tokens \(o200k\)$/m)
    expect(out).not.toMatch(/frontmatter|the name/)
  })

  it('is a warning past the limit', async () => {
    const out = await findings('plain.md', 'Add them all.\n', '--set', 'optimizer.tokenLimit=2')
    expect(out).toMatch(/^warn {2}skill plain\.md: .*about 4 of 2 tokens/m)
  })

  it('is what keeps agents from finding it, without failing', async () => {
    expect(await findings('plain.md', '# Add\n')).toMatch(
      /^warn {2}the skill has no frontmatter.*\n {6}.*name: add"/m,
    )
    const text = '---\nname: sums\ndescription: Adds.\n---\nAdd.\n'
    expect(await findings('other/SKILL.md', text)).toContain('is not that of the folder, "other"')
    expect(await findings('other/sums.md', text)).not.toContain('folder, "other"')
  })
})
