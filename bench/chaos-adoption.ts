import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import {
  adopt,
  describeTarget,
  readLive,
  recover,
  sha256,
  undo,
  withRegion,
  writeProposal,
} from '../src/sleep/adopt/index.js'
import type { Proposal } from '../src/sleep/model/proposal.js'
import type { ChaosRow } from './chaos-training.js'

const worker = fileURLToPath(new URL('chaos-adoption-worker.js', import.meta.url))
const longestMs = 600

/** Adoption is atomic: after a kill at any moment, recovery leaves one of two states. */
export async function killAdoptions(kills: number, random: () => number): Promise<ChaosRow> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-chaos-adopt-')))
  try {
    const { project, folder, place } = await makeProposal(root)
    const before = await snapshot(project)
    await adopt(folder, place)
    const after = await snapshot(project)
    await undo(place)
    let [lost, adopted] = [0, 0]
    for (let kill = 0; kill < kills; kill++) {
      const child = spawn(process.execPath, [worker, JSON.stringify([folder, place])], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      await sleep(random() * longestMs)
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
      await recover(place)
      const now = await snapshot(project)
      const isAdopted = isDeepStrictEqual(now, after)
      if (!isAdopted && !isDeepStrictEqual(now, before)) lost += 1
      if (!isAdopted) continue
      adopted += 1
      await undo(place)
    }
    const note = `recovered to adopted ${adopted} times, to before ${kills - adopted - lost} times`
    return { what: 'kill -9 of adoption', happened: kills, lost, wrongScores: '-', caps: '-', note }
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function makeProposal(root: string) {
  const project = join(root, 'project')
  const folder = join(root, 'home', 'projects', 'project', 'proposals', 'night-1')
  const place = {
    project,
    folder: join(root, 'home', 'projects', 'project'),
    locks: join(root, 'home', 'locks'),
    roots: [project],
  }
  const documents = {
    'skill:tests': join(project, '.claude', 'skills', 'tests', 'SKILL.md'),
    'memory:CLAUDE.md': join(project, 'CLAUDE.md'),
  }
  await mkdir(join(project, '.claude', 'skills', 'tests'), { recursive: true })
  await writeFile(documents['skill:tests'], '---\nname: tests\ndescription: d\n---\nMine.\n')
  await writeFile(documents['memory:CLAUDE.md'], '# Memory\n\nBe brief.\n')
  const texts = new Map<string, string>([['report.md', '# Report\n']])
  const targets = await Promise.all(
    Object.entries(documents).map(async ([name, path], index) => {
      const text = withRegion(await readFile(path, 'utf8'), `- Rule ${index}.`, name)
      texts.set(`${index}.md`, text)
      return {
        ...describeTarget(name, await readLive(path, place.roots)),
        proposed: `${index}.md`,
        after: sha256(text),
      }
    }),
  )
  const interval = { mean: 0.5, low: 0.4, high: 0.6 }
  const names = Object.keys(documents)
  const proposal: Proposal = {
    format: 'skillopt.sleep.proposal.v1',
    id: 'night-1',
    project,
    madeAt: '2026-01-31T03:00:00Z',
    run: join(place.folder, 'runs', 'night-1'),
    verdict: { accepted: true, reason: 'Better on held-out tasks.' },
    measures: [{ targets: names, tasks: ['t1'], before: interval, after: interval, measured: true }],
    targets,
    edits: names.map((target, index) => ({
      id: `e${index}`,
      target,
      op: 'append',
      content: `- Rule ${index}.`,
      why: 'It failed.',
      tasks: ['t1'],
      sessions: ['s1'],
      status: 'proposed',
    })),
    roots: [project],
  }
  await writeProposal(folder, proposal, texts)
  return { project, folder, place }
}

/** Every file in the folder, with its mode. */
async function snapshot(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const mode = ((await lstat(path)).mode & 0o777).toString(8)
    found[path] = entry.isFile() ? `${mode} ${await readFile(path, 'utf8')}` : `folder ${mode}`
  }
  return found
}
