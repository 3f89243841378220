import type { Draft } from '../draft.js'
import { readLine } from '../json-lines.js'
import { tooLong } from '../lines.js'
import type { JsonRecord } from '../values.js'
import { type Cell, notText } from './sqlite.js'

/** The record in a JSON cell. An invalid cell is skipped and counted. */
export function recordIn(cell: Cell, draft: Draft): JsonRecord | undefined {
  if (cell === tooLong) return void draft.lost('records that are too long')
  const { record, isTorn } = readLine(typeof cell === 'string' ? cell : '')
  if (record !== undefined && !isTorn) return record
  return void draft.lost('records that are torn or none')
}

/** The text in a cell, which may be empty; undefined for anything else, which is counted. */
export function textIn(cell: Cell, draft: Draft): string | undefined {
  if (cell === tooLong) return void draft.lost('records that are too long')
  if (cell === notText || typeof cell === 'number') return void draft.lost('records that are no text')
  return cell ?? ''
}
