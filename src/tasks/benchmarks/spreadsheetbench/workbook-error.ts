/** The file is not a workbook that can be read. The message goes on after the file's name: `is not …`. */
export class WorkbookError extends Error {
  override readonly name = 'WorkbookError'
}
