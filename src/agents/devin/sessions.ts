import { access } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { problemIn } from '../shared/transcripts/database/read.js'
import { type Cell, openDatabase } from '../shared/transcripts/database/sqlite.js'
import { systemCode } from '../shared/transcripts/files.js'

const shape = { required: { sessions: ['id', 'working_directory'] } }

/**
 * The folder that a session of Devin's was at: its transcripts do not tell, but the database beside them does. That is
 * taken as it was last written out, without the log of what came later: with all that was ever said, it can have
 * gigabytes, which would have to be copied for the one row.
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
