/** The content of a task's message: the instruction, the tables, and the place of the answer. */

export interface SpreadsheetQuestion {
  readonly instruction: string
  readonly sheets: readonly ShownSheet[]
  readonly answer: AnswerPlace
}

export interface ShownSheet {
  readonly name: string
  /** The first rows of the sheet, as the message shows them. */
  readonly rows: readonly (readonly string[])[]
}

export interface AnswerPlace {
  readonly sheet: string
  readonly column: number
  readonly top: number
}

const form =
  /^Instruction:\n([\s\S]*?)\n\nWorkbook:\n([\s\S]*?)\n\n(?:Instruction type: .*\n)?Answer position: (.+)\s*$/m

export function readSpreadsheetQuestion(text: string): SpreadsheetQuestion | undefined {
  const [, instruction, preview, position] = form.exec(text) ?? []
  const answer = readPosition(position ?? '')
  if (instruction === undefined || preview === undefined || answer === undefined) return undefined
  const sheets = preview.split(/^(?=Sheet ")/m).map(readSheet)
  return { instruction, sheets, answer: { ...answer, sheet: answer.sheet ?? sheets[0]?.name ?? '' } }
}

function readPosition(text: string) {
  const [, sheet, letters = '', top] = /^(?:'?(.+?)'?!)?([A-Z]+)(\d+)/.exec(text.trim()) ?? []
  if (top === undefined) return undefined
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
  return { sheet, column, top: Number(top) }
}

function readSheet(text: string): ShownSheet {
  const name = /^Sheet "(.*?)": /.exec(text)?.[1] ?? ''
  const rows = text
    .split('\n')
    .filter(line => /^\| \d+ \|/.test(line))
    .map(line =>
      line
        .slice(2, -2)
        .split(' | ')
        .slice(1)
        .map(cell => cell.trim()),
    )
  return { name, rows }
}

/** Index of a column in the answer's sheet, from 0. The column's heading may be in any of the rows shown. */
export function columnNamed({ sheets, answer }: SpreadsheetQuestion, heading: string): number {
  const shown = sheets.find(({ name }) => name === answer.sheet)
  return Math.max(0, ...(shown?.rows ?? []).map(row => row.indexOf(heading)))
}

/** Whether the sheet contains numbers stored as text. The message shows them in quotes. */
export function showsTextNumbers({ sheets, answer }: SpreadsheetQuestion): boolean {
  const shown = sheets.find(({ name }) => name === answer.sheet)
  return (shown?.rows ?? []).some(row => row.some(cell => /^"[\s\d.,]+"$/.test(cell)))
}
