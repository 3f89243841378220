import { access, constants, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { agents } from '../../agents/registry/install-targets.js'
import { InputError } from '../../core/errors/errors.js'
import { atHome, userHome } from '../../system/home.js'
import { readLive } from '../adopt/index.js'
import { readRegion, writeRegion } from '../model/managed-region.js'
import type { SleepTask } from '../model/sleep-task.js'
import type { SleepProject, Surroundings } from '../settings/places.js'
import type { SleepSettings } from '../settings/settings.js'

/** Current state of a document that a night may train. */
export interface TargetDocument {
  /** `skill:NAME`, `memory:CLAUDE.md` or `memory:AGENTS.md`. */
  readonly name: string
  readonly path: string
  /** The file's content; null if the file does not exist yet. */
  readonly live: string | null
  /** The document into which learned rules are written. */
  readonly frame: string
  readonly region: string
}

export interface FoundTargets {
  readonly managed: TargetDocument
  readonly memory: readonly TargetDocument[]
  /** The documents of skills, keyed by the name that tasks use for the skill. */
  readonly skills: ReadonlyMap<string, TargetDocument>
  /** Skills named by tasks that cannot be trained, with the reason. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[]
}

interface Places {
  readonly project: SleepProject
  readonly settings: SleepSettings
  readonly env: Surroundings['env']
  /** Folders in which targets may be, with links resolved. */
  readonly roots: readonly string[]
}

/** The fields of a task that decide which document gets its rules. */
interface Placeable {
  readonly skill?: string | undefined
  readonly evidence: Pick<SleepTask['evidence'], 'sessions'>
}

/**
 * Finds the documents to train. Throws before the night costs anything if a document could not be changed
 * later.
 */
export async function findTargets(tasks: readonly Placeable[], places: Places): Promise<FoundTargets> {
  const { project, roots } = places
  const { sleep } = places.settings
  const managedPath = managedSkillPath(tasks, places)
  const managed = await documentAt(`skill:${basename(dirname(managedPath))}`, managedPath, roots)
  const memory: TargetDocument[] = []
  for (const file of sleep.memory) {
    memory.push(await documentAt(`memory:${file}`, join(project.root, file), roots))
  }
  const skills = new Map<string, TargetDocument>()
  const skipped: { name: string; reason: string }[] = []
  const named = sleep.fanOut ? new Set(tasks.flatMap(({ skill }) => skill ?? [])) : []
  for (const name of [...named].sort()) {
    if (`skill:${name}` === managed.name) continue
    const found = await skillNamed(name, places)
    if ('reason' in found) skipped.push({ name: `skill:${name}`, reason: found.reason })
    else skills.set(name, found)
  }
  return { managed, memory, skills, skipped }
}

/**
 * Checks the documents that are known before sessions are read: those in the settings and those of known
 * tasks.
 */
export async function checkTargets(tasks: readonly SleepTask[], places: Places): Promise<void> {
  const { project, settings, roots } = places
  const path = managedSkillPath(tasks, places)
  if (tasks.length > 0 || isPath(settings.sleep.skill))
    await documentAt(`skill:${basename(dirname(path))}`, path, roots)
  for (const file of settings.sleep.memory)
    await documentAt(`memory:${file}`, join(project.root, file), roots)
}

/** Resolves all links of a path; undefined if the file does not exist. */
async function realFile(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path)
    return (await stat(real)).isFile() ? real : undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

function managedSkillPath(tasks: readonly Placeable[], places: Places): string {
  const { project, settings, env } = places
  const { skill } = settings.sleep
  if (!isPath(skill)) return join(project.root, skillsFolderOf(tasks), checkedName(skill), 'SKILL.md')
  const path = resolve(project.root, atHome(skill, userHome(env)))
  if (basename(path) !== 'SKILL.md') {
    throw new InputError(`sleep.skill is ${skill}, and a skill is a file called SKILL.md.`, {
      hint: 'Name the SKILL.md itself, such as .claude/skills/notes/SKILL.md, or only a name.',
    })
  }
  return path
}

const isPath = (text: string): boolean =>
  text.includes('/') || text.includes(sep) || text.endsWith('.md') || isAbsolute(text) || text.startsWith('~')

function checkedName(name: string): string {
  if (/^[\p{L}\p{N}](?:[\p{L}\p{N}._ -]{0,78}[\p{L}\p{N}_-])?$/u.test(name)) return name
  throw new InputError(`sleep.skill is ${JSON.stringify(name)}, which cannot be the name of a skill.`, {
    hint: 'Letters, digits, dashes and dots are fine; or name the path of a SKILL.md.',
  })
}

/** Returns the project's skill folder of the agent with the most sessions. */
function skillsFolderOf(tasks: readonly Placeable[]): string {
  const counts = new Map<string, number>()
  for (const session of tasks.flatMap(({ evidence }) => evidence.sessions)) {
    const source = session.split(':')[0] ?? ''
    counts.set(source, (counts.get(source) ?? 0) + 1)
  }
  const known = agents.filter(({ id }) => counts.has(id))
  const most = known.toSorted((one, other) => (counts.get(other.id) ?? 0) - (counts.get(one.id) ?? 0))[0]
  return most?.projectFolder ?? '.claude/skills'
}

/** Lists the folders from which agents read skills, and those added in the settings. */
function skillFolders({ project, settings, env }: Places): readonly string[] {
  const home = userHome(env)
  return [
    ...agents.map(({ projectFolder }) => join(project.root, projectFolder)),
    ...agents.map(({ userFolder }) => userFolder(env, home)),
    ...settings.sleep.skillRoots.map(root => resolve(settings.loaded.baseDir, atHome(root, home))),
  ]
}

/** Finds the skill file with that name. Returns a reason if there is none or more than one. */
async function skillNamed(
  name: string,
  places: Places,
): Promise<TargetDocument | { readonly reason: string }> {
  if (!/^[\p{L}\p{N}](?:[\p{L}\p{N}._-]{0,78}[\p{L}\p{N}_-])?$/u.test(name))
    return { reason: 'its name cannot be that of a folder' }
  const found = new Map<string, string>()
  for (const folder of skillFolders(places)) {
    const path = join(folder, name, 'SKILL.md')
    const real = await realFile(path)
    if (real !== undefined && !found.has(real)) found.set(real, path)
  }
  const [first, second] = found.values()
  if (first === undefined) return { reason: 'no SKILL.md of that name was found' }
  if (second !== undefined) return { reason: `there are several: ${[...found.values()].join(', ')}` }
  try {
    const document = await documentAt(`skill:${name}`, first, places.roots)
    if (document.live?.trim() === '') return { reason: `${first} is empty` }
    return document
  } catch (error) {
    if (error instanceof InputError) return { reason: error.message }
    throw error
  }
}

async function documentAt(name: string, path: string, roots: readonly string[]): Promise<TargetDocument> {
  const { content, realPath } = await readLive(path, roots)
  await checkFolder(dirname(realPath), path)
  const live = content?.text ?? null
  const frame = live ?? newDocument(name)
  const region = readRegion(frame)
  const text = region.state === 'found' ? region.text : ''
  // Even with valid markers, the document may have no valid position for a rule, for example after an
  // unclosed code block.
  const problem = region.state === 'broken' ? region : writeRegion(frame, text === '' ? '-' : text)
  if (problem.state === 'broken') {
    const mending =
      problem.kind === 'open-code-block'
        ? 'Close the code block.'
        : 'Correct the markers: one START and one END, each on a line of its own.'
    throw new InputError(`${path}, ${problem.problem}.`, { hint: `Nothing was changed. ${mending}` })
  }
  return { name, path, live, frame, region: text }
}

/** Checks that the folder is writable, because a file is replaced by renaming a new one over it. */
async function checkFolder(folder: string, path: string): Promise<void> {
  try {
    await access(folder, constants.W_OK)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    // A missing folder will be created, so its parent must be writable.
    if (code === 'ENOENT' && dirname(folder) !== folder) return checkFolder(dirname(folder), path)
    throw new InputError(`${path} could not be changed: the folder ${folder} cannot be written.`, {
      hint: 'Nothing was changed. Make the folder writable for yourself.',
      cause,
    })
  }
}

/** Text around the region in a new file. */
function newDocument(target: string): string {
  if (target.startsWith('memory:')) return '# Notes for agents\n'
  const name = target.slice('skill:'.length)
  return [
    '---',
    `name: ${JSON.stringify(name)}`,
    'description: "What was learned from earlier work in this project: conventions that its people keep asking for. Use it for every task here."',
    '---',
    '',
    '# What earlier sessions taught',
    '',
  ].join('\n')
}
