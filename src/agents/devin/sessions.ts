import { access } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { problemIn } from '../shared/transcripts/database/read.js'
import { type Cell, openDatabase } from '../shared/transcripts/database/sqlite.js'
import { systemCode } from '../shared/transcripts/files.js'

const shape = { required: { sessions: ['id', 'working_directory'] } }

/**
 * The working folder of a Devin session. Transcripts do not record it, but the database beside them does.
 * The database is read as of its last checkpoint, without the write-ahead log: it contains every message and
 * can reach gigabytes, all of which would have to be copied for one row.
 */
export async function devinFolder(
  database: string,
  session: string,
): Promise<{ readonly folder?: Cell; readonly problem?: string }> {
  try {
    await access(database)
    const rows = await openDatabase({ url: `${pathToFileURL(database)}?immutable=1` }, shape)
    try {
      const [key] = rows.keys('sessions', ['id', session], ['rowid'])
      return { folder: key === undefined ? undefined : rows.row('sessions', key)?.working_directory }
    } finally {
      rows.close()
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return {}
    const problem = problemIn(error)
    if (problem === undefined) throw error
    return { problem }
  }
}
