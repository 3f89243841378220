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

/** Only the newest logs are read, because logs may be long. */
const mostLogs = 20

interface Found {
  readonly attempt: Attempt
  readonly reader: RunReader
}

/**
 * A read-only cache of attempts from other evaluations with the same model and settings, whatever their
 * skills and tasks. A skill that was scored alone, in another comparison, or on some of the tasks is not
 * paid for again. The logs are searched when the first attempt is missing.
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

/** Drops the attempt's place in the other evaluation. */
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

/** Skill and task are part of an attempt's key, so differences in them do not matter. */
function isOfTheSame(started: EventBody<'run.started'>, setup: Setup): boolean {
  // A fingerprint that an environment names "train" is not the hash of a split.
  const splits = ['train', 'val', 'test'].filter(name => setup.environment.fingerprints?.[name] === undefined)
  const inTheKey = new Set(['skill', ...splits].map(name => `content of ${name}`))
  return started.product === product && differences(started, setup).every(({ path }) => inTheKey.has(path))
}

function textsOf({ attempt, reader }: Found): Promise<readonly string[] | undefined> {
  return unlessDamaged(() =>
    Promise.all([...new Set(blobRefsOfAttempt(attempt))].map(ref => reader.get(ref))),
  )
}

/** Treats an unreadable log as missing: commands that read that log itself report the damage. */
async function unlessDamaged<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof InputError) return undefined
    throw error
  }
}
