import { differences } from '../core/config/difference.js'
import { InputError } from '../core/errors/errors.js'
import type { EventBody } from '../core/log/event.js'
import type { AttemptCache } from '../core/ports/store.js'
import type { Attempt } from '../core/task/task.js'
import { blobRefsOfAttempt } from '../store/blob-refs.js'
import { type RunReader, readRun } from '../store/read-run.js'
import { runsOf } from '../store/run-directories.js'
import { product } from '../system/version.js'
import type { Setup } from '../trainer/loops/setup.js'

/** Maximum number of logs to read, newest first. Logs may be long. */
const mostLogs = 20

interface Found {
  readonly attempt: Attempt
  readonly reader: RunReader
}

/**
 * A read-only cache of attempts from other evaluations with the same model and settings. Their skills and
 * tasks may differ, so a skill that was scored alone, in another comparison, or on some of the tasks is not
 * paid for again. The logs are first read when an attempt is missing.
 */
export function earlierEvaluations(setup: Setup, directory: string, cwd: string): AttemptCache {
  let known: Promise<ReadonlyMap<string, Found>> | undefined
  return {
    async find(key, put) {
      known ??= attemptsBefore(setup, directory, cwd)
      const found = (await known).get(key)
      if (found === undefined) return undefined
      const texts = await textsOf(found)
      if (texts === undefined) return undefined
      for (const text of texts) put(text)
      return found.attempt
    },
    keep: async () => undefined,
  }
}

async function attemptsBefore(
  setup: Setup,
  directory: string,
  cwd: string,
): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>()
  const { others } = await runsOf(setup.name, cwd)
  const logs = others.filter(other => other !== directory && /-eval-\w+$/.test(other))
  for (const log of logs.slice(0, mostLogs)) {
    await unlessDamaged(async () => {
      const reader = await readRun(log)
      for await (const { type, key, body } of reader.events()) {
        if (type === 'run.started' && !isOfTheSame(body, setup)) return
        if (type !== 'attempt.finished' || key === undefined || body.outcome.status !== 'scored') continue
        found.set(key, { attempt: attemptIn(body as Attempt), reader })
      }
    })
  }
  return found
}

/** Removes the fields that describe the attempt's place in the other evaluation. */
function attemptIn({ task, type, sample, messages, outcome, hidden, tokens, ms }: Attempt): Attempt {
  return {
    task,
    type,
    sample,
    messages,
    outcome,
    hidden,
    tokens,
    ms,
  }
}

/**
 * Whether an evaluation had the same model and settings. Its skill and tasks may differ, because they are
 * part of each attempt's key.
 */
function isOfTheSame(started: EventBody<'run.started'>, setup: Setup): boolean {
  // An environment may name one of its fingerprints "train"; it is then not the hash of a split.
  const splits = ['train', 'val', 'test'].filter(name => setup.environment.fingerprints?.[name] === undefined)
  const inTheKey = new Set(['skill', ...splits].map(name => `content of ${name}`))
  return started.product === product && differences(started, setup).every(({ path }) => inTheKey.has(path))
}

function textsOf({ attempt, reader }: Found): Promise<readonly string[] | undefined> {
  return unlessDamaged(() =>
    Promise.all([...new Set(blobRefsOfAttempt(attempt))].map(ref => reader.get(ref))),
  )
}

/** Treats a damaged log as missing. Commands that read that log itself report the damage. */
async function unlessDamaged<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof InputError) return undefined
    throw error
  }
}
