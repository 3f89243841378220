import { mkdir, writeFile } from 'node:fs/promises'
import { devNull } from 'node:os'
import { dirname, join } from 'node:path'
import { runProgram } from '../../src/system/run-program.js'

/** A fixed git identity, independent of who runs the tests. */
function surroundings(at: string) {
  return {
    PATH: process.env.PATH,
    HOME: devNull,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_AUTHOR_DATE: at,
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
    GIT_COMMITTER_DATE: at,
  }
}

export interface TestRepository {
  /** Returns the output without the trailing line break. */
  git(...args: readonly string[]): Promise<string>
  /** Like `git`, with standard input. */
  feed(input: Buffer, ...args: readonly string[]): Promise<string>
  /** Writes files and commits all changes. */
  commit(files: Readonly<Record<string, string>>, at?: string): Promise<string>
}

/** A repository in a folder, which is created if missing. */
export async function makeRepository(folder: string, ...options: readonly string[]): Promise<TestRepository> {
  await mkdir(folder, { recursive: true })
  let now = '2026-09-01T12:00:00Z'
  const feed = async (input: Buffer, ...args: readonly string[]) => {
    const end = await runProgram(['git', '-C', folder, ...args], { env: surroundings(now), input })
    if (end?.code !== 0) throw new Error(`git ${args.join(' ')}: ${end?.stderr}`)
    return end.stdout.toString().replace(/\n$/, '')
  }
  const git = (...args: readonly string[]) => feed(Buffer.alloc(0), ...args)
  await git('init', '--quiet', '--initial-branch=main', ...options)
  return {
    git,
    feed,
    async commit(files, at = now) {
      now = at
      for (const [name, text] of Object.entries(files)) {
        const path = join(folder, name)
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, text)
      }
      await git('add', '--all')
      await git('commit', '--quiet', '--allow-empty', '-m', 'A step')
      return git('rev-parse', 'HEAD')
    },
  }
}
