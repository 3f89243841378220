import { createHash } from 'node:crypto'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { editors } from './harvest-editors.js'
import { type FormatOfAgent, type Session, terminals } from './harvest-formats.js'
import { createTexts, type Texts } from './harvest-texts.js'

export interface MadeFiles {
  readonly files: number
  readonly bytes: number
  /** Requests in sessions that are not sub-agents'. */
  readonly requests: number
}

/** In the proportions of a user who works with agents all day. */
export const formats: readonly FormatOfAgent[] = [...terminals, ...editors]

/** The project that is also harvested alone; a third of all sessions belong to it. */
export const mainProject = '/home/ada/shop'
const projects = [
  mainProject,
  ...['site', 'tools', 'infra', 'notes', 'app', 'api'].map(name => `/home/ada/${name}`),
]

const secondMs = 1_000
const firstDay = Date.UTC(2026, 8, 1)

/** Fills a home folder with about this many bytes of sessions, writing one record at a time. */
export async function makeFiles(home: string, bytes: number, seed = 1): Promise<MadeFiles> {
  const texts = createTexts(seed)
  const made = { files: 0, bytes: 0, requests: 0 }
  for (const format of formats) {
    let ofAgent = 0
    while (ofAgent < bytes * format.share) {
      const session = createSession(texts, `${format.source} ${made.files}`, made.files)
      const isSubAgent = texts.random.below(10) === 0
      const size = texts.skewed(350_000, 24_000_000)
      const turns = await writeSession(join(home, format.file(session, isSubAgent)), {
        format,
        session,
        texts,
        isSubAgent,
        size,
        isTorn: texts.random.below(60) === 0,
      })
      const beside = format.beside?.(session)
      if (beside !== undefined) await writeFile(join(home, beside.file), JSON.stringify(beside.content))
      ofAgent += turns.bytes
      made.files += 1
      made.bytes += turns.bytes
      made.requests += isSubAgent ? 0 : turns.count
    }
  }
  return made
}

function createSession({ random, oneOf, noise }: Texts, seed: string, index: number): Session {
  const hex = createHash('sha256').update(seed).digest('hex')
  let now = firstDay + index * 20 * 60 * secondMs
  let names = 0
  let last: string | null = null
  const name = () => {
    names += 1
    return `${hex.slice(32, 52)}-${String(names).padStart(8, '0')}`
  }
  return {
    id: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`,
    project: random.below(4) === 0 ? mainProject : oneOf(projects),
    time: () => {
      now += secondMs
      return new Date(now).toISOString()
    },
    name,
    next: () => {
      const parentUuid = last
      last = name()
      return { uuid: last, parentUuid }
    },
    noise,
  }
}

interface Writing {
  readonly format: FormatOfAgent
  readonly session: Session
  readonly texts: Texts
  readonly isSubAgent: boolean
  readonly size: number
  readonly isTorn: boolean
}

async function writeSession(
  file: string,
  { format, session, texts, isSubAgent, size, isTorn }: Writing,
): Promise<{ readonly bytes: number; readonly count: number }> {
  await mkdir(dirname(file), { recursive: true })
  const handle = await open(file, 'w')
  let bytes = 0
  let count = 0
  const write = async (records: readonly object[]) => {
    const lines = records.map(record => JSON.stringify(record)).join('\n')
    // A truncated line, as if the agent was killed while writing.
    const text = isTorn && count === 2 ? lines.slice(0, -20) : `${lines}\n`
    bytes += (await handle.write(text)).bytesWritten
  }
  try {
    const beginning = format.begin(session, isSubAgent)
    if (beginning.length > 0) await write(beginning)
    while (bytes < size) {
      count += 1
      await write(format.turn(session, texts.turn(), isSubAgent))
    }
  } finally {
    await handle.close()
  }
  return { bytes, count }
}
