import { type FormatOfAgent, formats, type Session } from '../../../bench/harvest-formats.js'
import {
  createClock,
  fileNameOf,
  linesOf,
  type MadeSession,
  putFile,
  type WriteSessions,
} from './made-session.js'

/** Agents that write a session into a file of its own, one record per line. */
export const lineWriters: Readonly<Record<string, WriteSessions>> = Object.fromEntries(
  formats.map(format => [
    format.source,
    async (home, sessions) => {
      for (const session of sessions) await writeSession(home, format, session)
    },
  ]),
)

async function writeSession(home: string, format: FormatOfAgent, made: MadeSession): Promise<void> {
  const session = sessionOf(made)
  const records = [
    ...format.begin(session, false),
    ...made.turns.flatMap(turn => format.turn(session, turn, false)),
  ]
  const chained = inOneLine(records.map(record => onBranch(record, made.branch)))
  const file = format.file({ ...session, id: fileNameOf(made) }, false)
  await putFile(home, file, linesOf(chained, made.strange), made.at)
}

function sessionOf(made: MadeSession): Session {
  const clock = createClock(made)
  let names = 0
  return {
    id: made.id,
    project: made.project,
    time: () => clock().toISOString(),
    name: () => {
      names += 1
      return `${made.id}-${String(names).padStart(4, '0')}`
    },
    noise: length => 'x'.repeat(length),
  }
}

/** All agents name it by one of these fields. */
function onBranch(record: object, branch: string): object {
  return JSON.parse(JSON.stringify(record), (name, value) =>
    (name === 'gitBranch' || name === 'branch') && value === 'main' ? branch : value,
  )
}

/** Each turn begins a conversation of its own; where records say which one they follow, it goes on instead. */
function inOneLine(records: readonly object[]): readonly object[] {
  let before: unknown = null
  return records.map(record => {
    if (!('parentUuid' in record) || !('uuid' in record)) return record
    const chained = { ...record, parentUuid: before }
    before = record.uuid
    return chained
  })
}
