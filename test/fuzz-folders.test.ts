import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { source as copilot } from '../src/agents/copilot/transcripts.js'
import { source as opencode } from '../src/agents/opencode/transcripts.js'
import { importRun } from '../src/app/import-run.js'
import { metricOf } from '../src/compat/run-directory/evaluations.js'
import { eventsOf } from '../src/compat/run-directory/events.js'
import { RunFolder } from '../src/compat/run-directory/folder.js'
import { readReferenceRun } from '../src/compat/run-directory/run.js'
import type { RunEvent } from '../src/core/log/event.js'
import { createView, foldEvent } from '../src/core/view/fold.js'
import { blobRef } from '../src/store/blobs.js'
import { readWorkbook } from '../src/tasks/benchmarks/spreadsheetbench/workbook.js'
import { WorkbookError } from '../src/tasks/benchmarks/spreadsheetbench/workbook-error.js'
import { read } from './conformance/source-reading.js'
import { type FuzzInput, fuzz, patience, savedCorpus } from './support/fuzzing.js'
import { zip } from './support/zip.js'

/**
 * Parsers of binary files and of whole folders, tested as in `fuzz.test.ts`: SQLite transcripts, workbooks and
 * runs of the Python SkillOpt.
 */

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-fuzz-folders-'))
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

/** Some inputs are read and some refused: otherwise only one path through the parser is tested. */
function expectBoth({ read, refused }: { readonly read: number; readonly refused: number }): void {
  expect(read).toBeGreaterThan(10)
  expect(refused).toBeGreaterThan(10)
}

it.each([
  ['opencode', opencode, '.local/share/opencode/opencode.db'],
  ['copilot', copilot, '.copilot/session-store.db'],
] as const)('reads or skips damaged databases of %s', patience, async (id, source, place) => {
  const path = join(folder, id, place)
  await mkdir(dirname(path), { recursive: true })
  let [transcripts, unreadable] = [0, 0]
  const corpus = (await savedCorpus('databases')).filter(({ name }) => name.startsWith(id))
  const { refused } = await fuzz({
    corpus,
    isBinary: () => true,
    async parse({ bytes }) {
      await writeFile(path, bytes)
      const found = await read({ source }, join(folder, id))
      transcripts += found.transcripts.length
      unreadable += found.skipped.filter(({ reason }) => reason === 'unreadable').length
    },
  })
  expect(refused).toBe(0)
  expect(transcripts).toBeGreaterThan(10)
  expect(unreadable).toBeGreaterThan(10)
})

it('reads or refuses damaged workbooks', patience, async () => {
  const saved = await savedCorpus('workbooks')
  const isPacked = ({ name }: FuzzInput) => name.endsWith('.xlsx')
  const parts = saved
    .filter(input => !isPacked(input))
    .map(({ name, bytes }) => ({ name: name.replaceAll('@', '/'), bytes }))
  const path = join(folder, 'book.xlsx')
  const told = await fuzz({
    corpus: [...parts, ...saved.filter(isPacked)],
    isBinary: isPacked,
    async parse(input) {
      // A damaged part is packed with a valid checksum; otherwise only the checksum would be tested.
      const packed = isPacked(input)
        ? input.bytes
        : zip(parts.map(({ name, bytes }) => ({ name, content: name === input.name ? input.bytes : bytes })))
      await writeFile(path, packed)
      await readWorkbook(path)
    },
    isRefusal: error => error instanceof WorkbookError,
  })
  expectBoth(told)
})

it('imports or refuses damaged runs of the Python SkillOpt', patience, async () => {
  const original = fileURLToPath(new URL('./fixtures/reference-run', import.meta.url))
  const run = join(folder, 'outputs')
  await cp(original, run, { recursive: true })
  const entries = await readdir(original, { recursive: true, withFileTypes: true })
  const corpus = await Promise.all(
    entries
      .filter(entry => entry.isFile() && entry.name !== 'README.md')
      .map(async entry => {
        const path = join(entry.parentPath, entry.name)
        return { name: relative(original, path), bytes: await readFile(path) }
      }),
  )
  let tried = 0
  const told = await fuzz({
    corpus: corpus.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
    async parse({ name, bytes }) {
      tried += 1
      await writeFile(join(run, name), bytes)
      try {
        // Writing a whole run takes longer than reading one, so only some are written.
        if (tried % 40 === 0) await importAndRemove(run)
        else await foldRun(run)
      } finally {
        await cp(join(original, name), join(run, name))
      }
    },
  })
  expectBoth(told)
})

async function importAndRemove(run: string): Promise<void> {
  try {
    await importRun({ from: run, name: 'fuzzed', cwd: folder })
  } finally {
    await rm(join(folder, 'runs'), { recursive: true, force: true })
  }
}

/** As `importRun` does, in memory. */
async function foldRun(path: string): Promise<void> {
  const from = new RunFolder(path)
  const run = await readReferenceRun(from)
  const importing = { folder: from, ...metricOf(run.config), put: blobRef, note: () => {} }
  const identity = { run: 'fuzzed', from: basename(path), config: {}, sources: {} }
  let view = createView()
  let seq = 0
  for await (const { type, body } of eventsOf(importing, run, identity)) {
    view = foldEvent(view, { seq, at: seq, type, body } as RunEvent)
    seq += 1
  }
}
