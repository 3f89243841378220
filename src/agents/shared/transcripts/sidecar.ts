import { readPlainFile } from '../../../system/plain-file.js'
import { systemCode } from './files.js'
import { asRecord, type JsonRecord } from './values.js'

/** The content of a file that an agent wrote beside its sessions; undefined if there is none. */
export async function readSidecarText(path: string): Promise<string | undefined> {
  try {
    return (await readPlainFile(path)).toString('utf8')
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return undefined
  }
}

export async function readSidecarRecord(path: string): Promise<JsonRecord | undefined> {
  const text = await readSidecarText(path)
  try {
    return text === undefined ? undefined : asRecord(JSON.parse(text))
  } catch {
    // The file is truncated or belongs to another program.
    return undefined
  }
}
