import { availableParallelism } from 'node:os'
import { loadSource } from '../../agents/registry/transcript-sources.js'
import { createRedactor, type Redactor } from '../../core/redaction/redact.js'
import type { TranscriptSource } from '../../core/transcript/transcript.js'
import { collected } from './collect.js'
import type { Gathered, Harvest, HarvestPlan, SourceFile } from './plan.js'
import { ask, type ReadingTools } from './reading.js'
import { createScope } from './scope.js'
import { readWithWorkers, type WorkerAnswer } from './workers.js'

/** Progress of one source. */
export interface HarvestProgress {
  readonly source: string
  readonly files: number
  readonly filesDone: number
  /** Total size of the finished files. */
  readonly bytes: number
}

export interface HarvestOptions {
  readonly signal: AbortSignal
  onProgress?(progress: HarvestProgress): void
  /** Number of files that are read in parallel. */
  readonly workers?: number
}

/** Maximum number of workers. More would only wait for the disk, and each takes memory. */
const mostWorkers = 4
/**
 * Memory per worker: enough for the longest line that any source reads, and its parsed form. Few files need a
 * tenth of it.
 */
const megabytesPerWorker = 512
/** With less data than this per worker, starting another worker takes longer than it saves. */
const bytesPerWorker = 4_000_000

/**
 * Extracts and redacts people's requests from all agent transcripts. The result does not depend on the number
 * of workers. Unreadable files are reported and do not end the harvest.
 */
export async function harvest(plan: HarvestPlan, options: HarvestOptions): Promise<Harvest> {
  const { signal } = options
  signal.throwIfAborted()
  // Problems with the plan are reported before any file is read.
  const tools: ReadingTools = {
    redactor: createRedactor({ patterns: plan.patterns }),
    isWanted: createScope(plan.scope, plan.user.platform),
    signal,
  }
  const sources = await Promise.all([...new Set(plan.sources)].map(loadSource))
  const found = await Promise.all(sources.map(source => findFiles(source, plan, tools)))
  const files = found.flatMap(each => each.files)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const parts = found.map(each => each.gathered)
  const tell = createProgress(files, options)
  const count = Math.min(options.workers ?? usualWorkers(bytes), files.length)
  const workers = { count, megabytes: megabytesPerWorker }
  await readWithWorkers(plan, files, workers, signal, (file, answer) => {
    parts.push(gatheredFrom(file, answer))
    tell(file)
  })
  return withNamesHidden({ ...collected(parts), bytes }, tools.redactor)
}

function usualWorkers(bytes: number): number {
  return Math.min(mostWorkers, availableParallelism(), Math.max(1, Math.ceil(bytes / bytesPerWorker)))
}

/** Redacts file and session names, because they come from other programs and may contain a secret too. */
function withNamesHidden(harvest: Harvest, redactor: Redactor): Harvest {
  const known = new Map<string, string>()
  const hidden = <T extends { readonly file: string }>(item: T): T => {
    const { file } = item
    const shown = known.get(file) ?? redactor.redact(file).text
    known.set(file, shown)
    return shown === file ? item : { ...item, file: shown }
  }
  const { sessions, requests, skipped, redacted } = harvest
  return {
    ...harvest,
    sessions: sessions.map(hidden),
    requests: requests.map(hidden),
    skipped: skipped.map(hidden),
    redacted: redacted.map(hidden),
  }
}

/** Lists the files of a source, and those that are skipped without being read. */
async function findFiles(
  source: TranscriptSource,
  plan: HarvestPlan,
  tools: ReadingTools,
): Promise<{ readonly files: readonly SourceFile[]; readonly gathered: Gathered }> {
  const asked = ask(plan, source.id, plan.places?.[source.id], tools)
  const files = await source.files(asked.query)
  return {
    files: files.map(({ path, bytes }) => ({ source: source.id, path, bytes })),
    gathered: { sessions: [], requests: [], skipped: asked.skipped, redacted: asked.redacted() },
  }
}

function gatheredFrom({ source, path }: SourceFile, answer: WorkerAnswer): Gathered {
  if ('gathered' in answer) return answer.gathered
  const lost = { source, file: path, reason: 'unreadable', count: 1, detail: answer.problem } as const
  return { sessions: [], requests: [], skipped: [lost], redacted: [] }
}

function createProgress(
  files: readonly SourceFile[],
  { onProgress }: HarvestOptions,
): (file: SourceFile) => void {
  const progress = new Map<string, { source: string; files: number; filesDone: number; bytes: number }>()
  for (const { source } of files) {
    const known = progress.get(source) ?? { source, files: 0, filesDone: 0, bytes: 0 }
    progress.set(source, { ...known, files: known.files + 1 })
  }
  return ({ source, bytes }) => {
    const known = progress.get(source)
    if (known === undefined) return
    known.filesDone += 1
    known.bytes += bytes
    onProgress?.({ ...known })
  }
}
