import { columnNamed, type SpreadsheetQuestion } from './spreadsheet-reading.js'

/** How the agent writes its program: by default or as the skill says, before or after an error. */
export interface Manner {
  readonly values: boolean
  readonly convertsText: boolean
  readonly namedSheet: boolean
  readonly answerRows: boolean
  readonly realDates: boolean
  /** True after an error. The program then skips all that does not look like data. */
  readonly careful: boolean
}

/** An instruction, translated to parts of a Python program. */
interface Work {
  /** The columns that the program reads, from 0. */
  readonly reads: readonly number[]
  /** Python expression for the result of a row, or of all `rows`. */
  readonly result: string
  /** How many results there are: one for each row, one for each matching row, or one for the table. */
  readonly shape: 'each' | 'fitting' | 'cell'
  readonly fits?: string
  /** A spreadsheet formula with the same result, for the row `r` or for all rows up to `last`. */
  readonly formula?: string
  readonly before?: readonly string[]
}

type Reader = (found: readonly string[], question: SpreadsheetQuestion, manner: Manner) => Work

const literal = (text: string) => JSON.stringify(text)
const letter = (column: number) => String.fromCharCode(65 + column)

/**
 * Python expression for a number in a row. It is the raw value, or the value converted by the program's
 * function `number`.
 */
function numberAt(column: number, { convertsText, careful }: Manner): string {
  return convertsText || careful ? `number(row[${column}])` : `row[${column}]`
}

function arithmetic(sign: '*' | '-'): Reader {
  return ([first = '', second = ''], question, manner) => {
    const [left, right] = [columnNamed(question, first), columnNamed(question, second)]
    return {
      reads: [left, right],
      shape: 'each',
      result: `${numberAt(left, manner)} ${sign} ${numberAt(right, manner)}`,
      formula: `=${letter(left)}{r}${sign}${letter(right)}{r}`,
    }
  }
}

const readers: readonly (readonly [RegExp, Reader])[] = [
  [/write (.+) times (.+) into the column .+\.$/, arithmetic('*')],
  [/^Fill the column .+ with (.+) minus (.+), row by row/, arithmetic('-')],
  [
    /^Add up the column (.+) and write the sum into the cell/,
    ([name = ''], question, manner) => {
      const column = columnNamed(question, name)
      return {
        reads: [column],
        shape: 'cell',
        result: `sum(${numberAt(column, manner)} for row in rows)`,
        formula: `=SUM(${letter(column)}2:${letter(column)}{last})`,
      }
    },
  ],
  [
    /^Count the rows whose (.+) is "(.+)" and write the number/,
    ([name = '', value = ''], question) => {
      const column = columnNamed(question, name)
      return {
        reads: [column],
        shape: 'cell',
        result: `sum(1 for row in rows if row[${column}] == ${literal(value)})`,
      }
    },
  ],
  [
    /^Add up the (.+) of all rows whose (.+) is "(.+)" and write the sum/,
    ([summed = '', name = '', value = ''], question, manner) => {
      const [column, key] = [columnNamed(question, summed), columnNamed(question, name)]
      return {
        reads: [column, key],
        shape: 'cell',
        result: `sum(${numberAt(column, manner)} for row in rows if row[${key}] == ${literal(value)})`,
      }
    },
  ],
  [
    /^Write "(.+)" into the column .+ where (.+) is at least ([\d.]+), and "(.+)" in every other row/,
    ([yes = '', name = '', limit = '', no = ''], question, manner) => {
      const column = columnNamed(question, name)
      const test = `${numberAt(column, manner)} >= ${limit}`
      return { reads: [column], shape: 'each', result: `${literal(yes)} if ${test} else ${literal(no)}` }
    },
  ],
  [
    /look up the (.+) in the sheet (.+) and write its .+ into the column .+\. Leave/,
    ([name = '', list = ''], question) => {
      const column = columnNamed(question, name)
      const before = [
        `listed = workbook[${literal(list)}]`,
        'found = {row[0]: row[1] for row in listed.iter_rows(min_row=2, values_only=True)}',
      ]
      return { reads: [column], shape: 'each', result: `found.get(row[${column}])`, before }
    },
  ],
  [
    /^List the (.+) of all rows whose (.+) is "(.+)" in the column/,
    ([wanted = '', name = '', value = ''], question) => {
      const [column, key] = [columnNamed(question, wanted), columnNamed(question, name)]
      const fits = `row[${key}] == ${literal(value)}`
      return { reads: [column, key], shape: 'fitting', result: `row[${column}]`, fits }
    },
  ],
  [
    /^Write into the column .+ the date that is (\d+) days after (.+), for every row/,
    ([days = '', name = ''], question, { realDates, careful }) => {
      const column = columnNamed(question, name)
      const later = `(row[${column}] + timedelta(days=${days}))`
      return {
        reads: [column],
        shape: careful ? 'fitting' : 'each',
        ...(careful ? { fits: `hasattr(row[${column}], "year")` } : {}),
        result: realDates ? later : `${later}.strftime("%Y-%m-%d")`,
        before: ['from datetime import timedelta'],
      }
    },
  ],
  [
    /^Write into the column .+ the (.+) and the (.+) of every row, with one space/,
    ([first = '', last = ''], question) => {
      const columns = [columnNamed(question, first), columnNamed(question, last)]
      const [one, other] = columns.map(column => `str(row[${column}])`)
      return { reads: columns, shape: 'each', result: `${one} + " " + ${other}` }
    },
  ],
]

/** Writes a program for the task; undefined if the kind of instruction is unknown. */
export function writeProgram(question: SpreadsheetQuestion, manner: Manner): string | undefined {
  for (const [pattern, read] of readers) {
    const match = pattern.exec(question.instruction)
    if (match !== null) return programFor(read(match.slice(1), question, manner), question, manner)
  }
  return undefined
}

function programFor(work: Work, { answer }: SpreadsheetQuestion, manner: Manner): string {
  const usesFormula = work.formula !== undefined && !manner.values
  return [
    'import openpyxl',
    ...(work.result.includes('number(') && !usesFormula ? ['', ...numberFunction(manner), ''] : ['']),
    'workbook = openpyxl.load_workbook(INPUT_PATH)',
    `sheet = ${manner.namedSheet ? `workbook[${literal(answer.sheet)}]` : 'workbook.active'}`,
    ...(work.before ?? []),
    ...(usesFormula ? formulaLines(work, answer, manner) : valueLines(work, answer, manner)),
    'workbook.save(OUTPUT_PATH)',
  ].join('\n')
}

function firstRow({ shape }: Work, { top }: SpreadsheetQuestion['answer'], { answerRows }: Manner): number {
  return answerRows && shape !== 'cell' ? top : 2
}

function formulaLines(work: Work, answer: SpreadsheetQuestion['answer'], manner: Manner): string[] {
  const formula = `f${literal((work.formula ?? '').replace('{last}', '{sheet.max_row}'))}`
  if (work.shape === 'cell')
    return [`sheet.cell(row=${answer.top}, column=${answer.column}, value=${formula})`]
  return [
    `for r in range(${firstRow(work, answer, manner)}, sheet.max_row + 1):`,
    `    sheet.cell(row=r, column=${answer.column}, value=${formula})`,
  ]
}

function valueLines(work: Work, answer: SpreadsheetQuestion['answer'], manner: Manner): string[] {
  const first = firstRow(work, answer, manner)
  const width = Math.max(...work.reads) + 1
  const isThere = manner.careful ? `len(row) >= ${width} and row[0] is not None` : 'row[0] is not None'
  const rows = `rows = [row for row in sheet.iter_rows(min_row=${first}, values_only=True) if ${isThere}]`
  if (work.shape === 'cell') {
    return [rows, `sheet.cell(row=${answer.top}, column=${answer.column}, value=${work.result})`]
  }
  return [
    rows,
    `results = [${work.result} for row in rows${work.fits === undefined ? '' : ` if ${work.fits}`}]`,
    'for index, result in enumerate(results):',
    `    sheet.cell(row=${first} + index, column=${answer.column}, value=result)`,
  ]
}

function numberFunction({ convertsText, careful }: Manner): string[] {
  if (!convertsText) {
    return ['def number(value):', '    return value if isinstance(value, (int, float)) else 0']
  }
  const convert = 'float(str(value).replace(",", "").strip())'
  if (!careful) return ['def number(value):', `    return ${convert}`]
  return [
    'def number(value):',
    '    try:',
    `        return ${convert}`,
    '    except ValueError:',
    '        return 0',
  ]
}
