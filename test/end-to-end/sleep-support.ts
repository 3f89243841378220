import { createHash } from 'node:crypto'
import { lstat, mkdir, readdir, readFile, readlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { TaskBook } from '../../src/sleep/model/sleep-task.js'
import type { ChatReply, ChatRequest } from '../../src/testing/index.js'
import { type WorldOptions, writeWorld } from '../support/sleep/world.js'
import { type Finished, key, type Started, skillopt, start, temporaryFolder } from './support.js'

/** A person's machine: a home with transcripts, the project folder, and a folder for SkillOpt's data. */
export interface Machine {
  readonly root: string
  readonly home: string
  readonly project: string
  /** `SKILLOPT_HOME`. */
  readonly kept: string
  readonly env: Readonly<Record<string, string>>
}

export async function makeMachine(options: Partial<WorldOptions> = {}): Promise<Machine> {
  const root = await temporaryFolder()
  const [home, project, kept] = [join(root, 'home'), join(root, 'work', 'shop'), join(root, 'kept')]
  for (const folder of [home, project]) await mkdir(folder, { recursive: true })
  await writeWorld(home, { project, ...options })
  // No agent variable is set, so all agents use their default locations.
  const env = { HOME: home, USERPROFILE: home, SKILLOPT_HOME: kept, ...key }
  return { root, home, project, kept, env }
}

/** Harvest with the model at this address, for sessions of any age. */
export function harvestArguments(endpoint: string, ...more: readonly string[]): string[] {
  return [
    'sleep',
    'harvest',
    '--days',
    '0',
    '--optimizer',
    'openai-compatible/writer',
    '--yes',
    '--set',
    `models.optimizer.endpoint=${endpoint}/v1`,
    '--set',
    'models.optimizer.apiKeyEnv=E2E_KEY',
    ...more,
  ]
}

export function run({ project, env }: Machine, args: readonly string[]): Promise<Finished> {
  return skillopt(args, { cwd: project, env })
}

export function begin({ project, env }: Machine, args: readonly string[]): Started {
  return start(args, { cwd: project, env })
}

/** Replies as an obedient model: the general intent behind the shown requests. */
export function writesTasks(request: ChatRequest): ChatReply {
  return { content: JSON.stringify(taskFor(shownTo(request))) }
}

export function taskFor(shown: string): object {
  const topic = ['release notes', 'unit tests', 'npm dependencies', 'new strings'].find(words =>
    shown.toLowerCase().includes(words),
  )
  return {
    intent: `Deal with the ${topic ?? 'rest'} of a project as its people want it.`,
    rubric: ['What was asked for is done, and nothing else.'],
    checks: [{ op: 'no_refusal', arg: true }],
    skip: null,
  }
}

/** The last user message. */
export function shownTo({ messages }: ChatRequest): string {
  return String(messages.findLast(({ role }) => role === 'user')?.content ?? '')
}

/** Every file and folder below: its path, with a digest of its content and its modification time. */
export async function treeOf(
  folder: string,
  isLeftOut: (path: string) => boolean = () => false,
): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.map(entry => join(entry.parentPath, entry.name)).filter(path => !isLeftOut(path))
  const found = await Promise.all(
    paths.map(async path => {
      const { mtimeMs, size, mode } = await lstat(path)
      const about = (content: string) => `${mode.toString(8)} ${size} ${mtimeMs} ${content}`
      return [relative(folder, path), about(await contentOf(path))] as const
    }),
  )
  return Object.fromEntries(found.sort(([left], [right]) => (left < right ? -1 : 1)))
}

async function contentOf(path: string): Promise<string> {
  const found = await lstat(path)
  if (found.isSymbolicLink()) return readlink(path)
  return found.isFile()
    ? createHash('sha256')
        .update(await readFile(path))
        .digest('hex')
    : 'folder'
}

/** The stored tasks. */
export async function bookOf({ kept }: Machine): Promise<TaskBook> {
  const projects = join(kept, 'sleep', 'projects')
  const [folder = ''] = await readdir(projects)
  return JSON.parse(await readFile(join(projects, folder, 'tasks.json'), 'utf8')) as TaskBook
}
