/** Worker thread of `workbook.ts`. It answers each file's content with the workbook or a problem. */
import { parentPort } from 'node:worker_threads'
import { messageOf } from '../../../core/errors/errors.js'
import { parseWorkbook } from './parse.js'
import type { ThreadAnswer } from './workbook.js'
import { WorkbookError } from './workbook-error.js'

parentPort?.on('message', (content: Uint8Array) => parentPort?.postMessage(answer(content)))

function answer(content: Uint8Array): ThreadAnswer {
  try {
    return { workbook: parseWorkbook(content) }
  } catch (error) {
    const problem = messageOf(error)
    return { problem: error instanceof WorkbookError ? problem : `is damaged (${problem})` }
  }
}
