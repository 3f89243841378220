import { existsSync } from 'node:fs'
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Disk, nodeDisk } from '../../src/sleep/adopt/disk.js'
import { type AdoptionPlace, describeTarget, readLive, writeProposal } from '../../src/sleep/adopt/index.js'
import { sha256, withRegion } from '../../src/sleep/adopt/target.js'
import type { Proposal, ProposalEdit } from '../../src/sleep/model/proposal.js'

/**
 * A project with a person's skill and memory file, and a night that proposes to change both and to create a
 * third file.
 */
export interface AdoptionWorld {
  readonly root: string
  readonly project: string
  readonly proposalFolder: string
  readonly place: AdoptionPlace
  readonly files: { readonly skill: string; readonly memory: string; readonly made: string }
}

export const start = '<!-- SKILLOPT-SLEEP:LEARNED START -->'
export const end = '<!-- SKILLOPT-SLEEP:LEARNED END -->'
export const personsSkill = `---\r\nname: tests\r\ndescription: d\r\n---\r\nMine.\r\n\r\n${start}\r\n- Old rule.\r\n${end}\r\nMine too.`
export const personsMemory = '# Memory\n\nBe brief.\n'
const scaffold = '---\nname: fresh\ndescription: Learned in sleep.\n---\n'

/** Uses a RAM disk if available: each step syncs to disk, and tests take thousands of them. */
const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

export async function makeAdoptionWorld(): Promise<AdoptionWorld> {
  const root = await realpath(await mkdtemp(join(memory, 'skillopt-adopt-')))
  const project = join(root, 'project')
  const skills = join(project, '.claude', 'skills')
  const files = {
    skill: join(skills, 'tests', 'SKILL.md'),
    memory: join(project, 'CLAUDE.md'),
    made: join(skills, 'fresh', 'SKILL.md'),
  }
  await mkdir(join(skills, 'tests'), { recursive: true })
  await writeFile(files.skill, personsSkill)
  await writeFile(files.memory, personsMemory)
  await chmod(files.skill, 0o664)
  await chmod(files.memory, 0o640)
  const folder = join(root, 'home', 'projects', 'project')
  const place = { project, folder, locks: join(root, 'home', 'locks'), roots: [project] }
  return { root, project, proposalFolder: join(folder, 'proposals', 'night-1'), place, files }
}

export const edits: readonly ProposalEdit[] = [
  edit('e1', 'skill:tests', { op: 'append', content: '- Run them twice:\n\n  ```sh\n  npm test\n  ```' }),
  edit('e2', 'skill:tests', { op: 'replace', anchor: 'Old rule.', content: 'New rule.' }),
  edit('e3', 'memory:CLAUDE.md', { op: 'append', content: '- Answer in French.' }),
  edit('e4', 'skill:fresh', { op: 'append', content: '- A rule of its own.' }),
  edit('e5', 'skill:tests', { op: 'append', content: '- Harm.', status: 'rejected' }),
]

function edit(id: string, target: string, rest: Partial<ProposalEdit>): ProposalEdit {
  return {
    id,
    target,
    op: 'append',
    content: '',
    why: 'It failed.',
    tasks: ['t1'],
    sessions: ['s1'],
    status: 'proposed',
    ...rest,
  }
}

export const regions = {
  skill: '- New rule.\n\n- Run them twice:\n\n  ```sh\n  npm test\n  ```',
  memory: '- Answer in French.',
  made: '- A rule of its own.',
}

/** The texts that the night proposes for the files. */
export async function proposedTexts({ files }: AdoptionWorld): Promise<Record<keyof typeof regions, string>> {
  return {
    skill: withRegion(await readFile(files.skill, 'utf8'), regions.skill, 'skill'),
    memory: withRegion(await readFile(files.memory, 'utf8'), regions.memory, 'memory'),
    made: withRegion(scaffold, regions.made, 'made'),
  }
}

export async function makeProposal(
  world: AdoptionWorld,
  change: (proposal: Proposal) => Proposal = same => same,
): Promise<Proposal> {
  const { project, files, place } = world
  const texts = await proposedTexts(world)
  const row = async (name: string, file: keyof typeof files) => ({
    ...describeTarget(name, await readLive(files[file], place.roots)),
    proposed: `${file}.md`,
    after: sha256(texts[file]),
  })
  const targets = [
    await row('skill:tests', 'skill'),
    await row('memory:CLAUDE.md', 'memory'),
    await row('skill:fresh', 'made'),
  ]
  const interval = { mean: 0.5, low: 0.4, high: 0.6 }
  const proposal = change({
    format: 'skillopt.sleep.proposal.v1',
    id: 'night-1',
    project,
    madeAt: '2026-01-31T03:00:00Z',
    run: join(place.folder, 'runs', 'night-1'),
    verdict: { accepted: true, reason: 'Better on held-out tasks.' },
    measures: [
      {
        targets: ['skill:tests', 'memory:CLAUDE.md'],
        tasks: ['t1'],
        before: interval,
        after: interval,
        measured: true,
      },
      { targets: ['skill:fresh'], tasks: ['t2'], before: interval, after: interval, measured: true },
    ],
    targets,
    edits: [...edits],
    roots: [project],
  })
  const named = Object.entries(texts).map(([name, text]) => [`${name}.md`, text] as const)
  await writeProposal(world.proposalFolder, proposal, new Map([...named, ['report.md', '# Report\n']]))
  return proposal
}

/** Every file, folder and link below, with content and mode. */
export async function snapshot(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const mode = ((await lstat(path)).mode & 0o777).toString(8)
    if (entry.isSymbolicLink()) found[path] = `link to ${await readlink(path)}`
    else found[path] = entry.isDirectory() ? `folder ${mode}` : `${mode} ${await readFile(path, 'utf8')}`
  }
  return found
}

/** Expects a refusal in one sentence, with nothing changed but adoption's own state and locks. */
export async function refusalOf(world: AdoptionWorld, work: () => Promise<unknown>): Promise<string> {
  const before = await snapshot(world.root)
  const error = await work().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Error)
  const own = (path: string) => /adoption|locks/.test(path)
  const now = await snapshot(world.root)
  const rest = (all: Record<string, string>) => Object.entries(all).filter(([path]) => !own(path))
  expect(rest(now)).toEqual(rest(before))
  return (error as Error).message
}

/** Simulates the death of the process at this point rather than a system error. */
export class Crash extends Error {}

type Operation = 'create' | 'rename' | 'remove' | 'makeFolder' | 'removeFolder'
export type Moment = 'before' | 'half' | 'after'

/**
 * Counts operations that change the disk. At step `at` it fails once with `error`, or crashes, after which
 * every operation fails. Only a file write can be partial.
 */
export function failingDisk(
  at: number,
  moment: Moment,
  error: Error = new Crash('gone'),
): Disk & { readonly steps: () => number; readonly happened: () => boolean } {
  let steps = 0
  let happened = false
  const guard = () => {
    if (happened && error instanceof Crash) throw error
  }
  const changing =
    <Arguments extends unknown[]>(work: (...given: Arguments) => Promise<void>, name: Operation) =>
    async (...given: Arguments): Promise<void> => {
      guard()
      steps += 1
      if (steps !== at || (moment === 'half' && name !== 'create')) return work(...given)
      happened = true
      if (moment === 'after') await work(...given)
      if (moment === 'half') {
        const [path, content] = given as unknown as [string, Buffer]
        await writeFile(path, content.subarray(0, content.length / 2), { mode: 0o600 })
      }
      throw error
    }
  const reading =
    <Arguments extends unknown[], Result>(work: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments): Promise<Result> => {
      guard()
      return work(...given)
    }
  return {
    entry: reading(nodeDisk.entry),
    realPath: reading(nodeDisk.realPath),
    read: reading(nodeDisk.read),
    names: reading(nodeDisk.names),
    create: changing(nodeDisk.create, 'create'),
    rename: changing(nodeDisk.rename, 'rename'),
    remove: changing(nodeDisk.remove, 'remove'),
    makeFolder: changing(nodeDisk.makeFolder, 'makeFolder'),
    removeFolder: changing(nodeDisk.removeFolder, 'removeFolder'),
    steps: () => steps,
    happened: () => happened,
  }
}
