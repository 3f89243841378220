import { type FormatOfAgent, type Session, terminals } from '../../../bench/harvest-formats.js'
import {
  createClock,
  fileNameOf,
  linesOf,
  type MadeSession,
  putFile,
  type WriteSessions,
} from './made-session.js'

/** Agents that write each session into its own file, one record per line. */
export const lineWriters: Readonly<Record<string, WriteSessions>> = Object.fromEntries(
  terminals.map(format => [
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
  ].map(record => onBranch(record, made.branch))
  const file = format.file({ ...session, id: fileNameOf(made) }, false)
  await putFile(home, file, linesOf(records, made.strange), made.at)
}

function sessionOf(made: MadeSession): Session {
  const clock = createClock(made)
  let names = 0
  let last: string | null = null
  const name = () => {
    names += 1
    return `${made.id}-${String(names).padStart(4, '0')}`
  }
  return {
    id: made.id,
    project: made.project,
    time: () => clock().toISOString(),
    name,
    next() {
      const [uuid, parentUuid] = [name(), last]
      last = uuid
      return { uuid, parentUuid }
    },
    noise: length => 'x'.repeat(length),
  }
}

/** All agents use one of these fields for the branch. */
function onBranch(record: object, branch: string): object {
  return JSON.parse(JSON.stringify(record), (name, value) =>
    (name === 'gitBranch' || name === 'branch') && value === 'main' ? branch : value,
  )
}
