import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeRepository } from '../../../test/support/repository.js'
import { sleepTask } from '../../../test/support/sleep-book.js'
import { removeFolder } from '../../system/remove-folder.js'
import { pinCommits } from './commits.js'

let project = ''
beforeEach(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), 'sleep-commits-')))
})
afterEach(() => removeFolder(project))

type Examples = NonNullable<NonNullable<Parameters<typeof sleepTask>[1]>['examples']>

const asked = (...examples: Examples) => [
  sleepTask('a', { examples: examples.map((one, index) => ({ request: `r${index + 1}`, ...one })) }),
]

/** Three days of commits on main, and a branch from the second day. */
async function history() {
  const repository = await makeRepository(project)
  const one = await repository.commit({ 'a.txt': '1' }, '2026-09-01T12:00:00Z')
  const two = await repository.commit({ 'a.txt': '2' }, '2026-09-02T12:00:00Z')
  await repository.git('checkout', '--quiet', '-b', 'feature/x')
  const beside = await repository.commit({ 'b.txt': '1' }, '2026-09-02T18:00:00Z')
  await repository.git('checkout', '--quiet', 'main')
  const three = await repository.commit({ 'a.txt': '3' }, '2026-09-03T12:00:00Z')
  return { repository, one, two, beside, three }
}

it('is the last commit before the request, on its branch', async () => {
  const { one, two, beside, three } = await history()
  const tasks = [
    ...asked(
      { at: '2026-09-01T12:00:01Z' },
      { at: '2026-09-02T20:00:00+02:00', branch: 'main' },
      { at: '2026-09-02T18:00:01Z', branch: 'feature/x' },
      { at: '2026-09-02T18:00:01Z', branch: 'main' },
      { at: '2026-10-01T00:00:00Z' },
    ),
    sleepTask('no-examples', { examples: [] }),
  ]
  expect(await pinCommits(tasks, project)).toEqual({
    commits: new Map([
      ['HEAD', three],
      ['r1', one],
      ['r2', two],
      ['r3', beside],
      ['r4', two],
      ['r5', three],
      ['no-examples', three],
    ]),
    reason: undefined,
  })
})

it('is the latest commit if the time or the branch is unknown', async () => {
  const { two, three } = await history()
  const tasks = asked(
    { at: '2026-08-01T00:00:00Z' },
    { at: undefined },
    { at: '2026-09-02T18:00:01Z', branch: 'deleted' },
    { at: '2026-09-02T18:00:01Z', branch: 'main..feature/x' },
    { at: '2026-09-02T18:00:01Z', branch: '--all' },
  )
  const { commits } = await pinCommits(tasks, project)
  expect([...commits.values()]).toEqual([three, three, three, two, two, two])
})

it('is the last commit of a shallow clone, with a reason', async () => {
  const { three, one } = await history()
  const clone = join(project, 'clone')
  const repository = await makeRepository(clone)
  await repository.git('fetch', '--quiet', '--depth=1', `file://${project}`, 'main')
  await repository.git('reset', '--quiet', '--hard', 'FETCH_HEAD')
  const { commits, reason } = await pinCommits(asked({ at: '2026-09-01T13:00:00Z' }), clone)
  expect(commits.get('r1')).toBe(three)
  expect(commits.get('r1')).not.toBe(one)
  expect(reason).toMatch(/the clone of the project is a shallow one\.$/)
})

it('is unknown without git or a working repository, with a reason instead of an error', async () => {
  const tasks = asked({ at: '2026-09-01T13:00:00Z' })
  const none = await pinCommits(tasks, project)
  expect(none.commits.size).toBe(0)
  expect(none.reason).toMatch(
    /^The commits at which tasks were asked are not known: git finds no repository in the project\.$/,
  )
  expect(await pinCommits(tasks, project, { PATH: '' })).toEqual({
    commits: new Map(),
    reason: 'The commits at which tasks were asked are not known: git is not installed.',
  })
  await history()
  await rm(join(project, '.git/objects'), { recursive: true })
  await mkdir(join(project, '.git/objects'))
  const broken = await pinCommits(tasks, project)
  expect(broken.commits.size).toBe(0)
  expect(broken.reason).toContain('the last one cannot be read')
})
