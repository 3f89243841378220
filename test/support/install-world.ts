import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { Library } from '../../src/cli/library.js'
import { main } from '../../src/cli/main.js'
import { fakeIo } from './fake-io.js'

export const skill = '---\nname: sums\ndescription: Adds. Use for sums.\n---\n# Sums\n\nAdd them.\n'

export type InstallWorld = Awaited<ReturnType<typeof installWorld>>

/** A project with a trained skill, and a person's empty home folder. */
export async function installWorld() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-install-')))
  const [project, home] = [join(root, 'project'), join(root, 'home')]
  const put = async (path: string, content: string | Buffer, mode?: number) => {
    const file = join(root, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
    if (mode !== undefined) await chmod(file, mode)
  }
  await put('project/best_skill.md', skill)
  await mkdir(home)
  return {
    root,
    project,
    home,
    put,
    text: (path: string) => readFile(join(root, path), 'utf8'),
    run: async (...words: string[]) => {
      const env = { HOME: home, XDG_STATE_HOME: join(root, 'state') }
      const io = fakeIo<Library>({ cwd: project, env })
      return { code: await main(['install', ...words], io), out: io.out(), err: io.err() }
    },
    snapshot: async () => ({ project: await tree(project), home: await tree(home) }),
    remove: () => rm(root, { recursive: true }),
  }
}

/**
 * Everything below a folder: path, permissions, bytes. Includes folders, because an undo must remove those
 * it created.
 */
export async function tree(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const described = await Promise.all(
    entries.map(async entry => {
      const path = join(entry.parentPath, entry.name)
      if (entry.isSymbolicLink()) return [relative(folder, path), 'link'] as const
      const { mode } = await stat(path)
      const content = entry.isFile() ? (await readFile(path)).toString('base64') : 'folder'
      return [relative(folder, path), `${mode.toString(8)} ${content}`] as const
    }),
  )
  return Object.fromEntries(described.sort())
}
