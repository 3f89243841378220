import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MadeSession } from './generate.js'

/** Writes sessions in Claude Code's format below a home folder: one file per session, one record per line. */
export async function writeTranscripts(
  sessions: readonly MadeSession[],
  { home, project }: { readonly home: string; readonly project: string },
): Promise<void> {
  const folder = join(home, '.claude', 'projects', project.replaceAll(/[^a-zA-Z0-9]/g, '-'))
  await mkdir(folder, { recursive: true })
  for (const session of sessions) {
    const records = recordsOf(session, project)
    const file = join(folder, `${session.id}.jsonl`)
    await writeFile(file, records.map(record => `${JSON.stringify(record)}\n`).join(''))
    const ended = new Date(session.at + minuteMs * records.length)
    await utimes(file, ended, ended)
  }
}

const minuteMs = 60_000

function recordsOf({ id, at, turns }: MadeSession, project: string): readonly object[] {
  const messages = turns.flatMap(({ said, answer }) => [
    { role: 'user', content: said },
    { role: 'assistant', model: 'made-up', content: [{ type: 'text', text: answer }] },
  ])
  const nameOf = (index: number) => `${id.slice(0, -4)}${String(index).padStart(4, '0')}`
  return messages.map((message, index) => ({
    parentUuid: index === 0 ? null : nameOf(index - 1),
    isSidechain: false,
    type: message.role,
    uuid: nameOf(index),
    timestamp: new Date(at + minuteMs * index).toISOString(),
    userType: 'external',
    cwd: project,
    sessionId: id,
    version: '2.1.197',
    gitBranch: 'main',
    message,
  }))
}
