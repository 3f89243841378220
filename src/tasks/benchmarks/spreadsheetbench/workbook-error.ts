/** Thrown for an unreadable workbook. The message continues after the file's name: `is not …`. */
export class WorkbookError extends Error {
  override readonly name = 'WorkbookError'
}
