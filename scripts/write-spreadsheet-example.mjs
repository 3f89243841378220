/**
 * Writes the data of examples/spreadsheetbench: small synthetic workbooks, each with its expected result.
 * The output is deterministic.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import XLSX from '@e965/xlsx'

const root = new URL('../examples/spreadsheetbench/data/', import.meta.url)

// ── Values ──────────────────────────────────────────────────────────────────

/** Deterministic pseudo-random numbers. */
function numbersFrom(seed) {
  let state = seed
  return (low, high) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return low + Math.floor((state / 4294967296) * (high - low + 1))
  }
}

const firstNames = [
  'Ada',
  'Bruno',
  'Chloe',
  'Dmitri',
  'Elena',
  'Farid',
  'Greta',
  'Hugo',
  'Ines',
  'Jonas',
  'Kemi',
  'Luca',
]
const lastNames = [
  'Abel',
  'Berg',
  'Costa',
  'Dorn',
  'Egger',
  'Falk',
  'Gomez',
  'Hahn',
  'Ito',
  'Jansen',
  'Kuhn',
  'Lind',
]
const goods = [
  'Lamp',
  'Chair',
  'Desk',
  'Shelf',
  'Stool',
  'Bench',
  'Frame',
  'Rug',
  'Clock',
  'Vase',
  'Mirror',
  'Tray',
]
const cities = ['Oslo', 'Porto', 'Turin', 'Ghent']
const states = ['open', 'closed', 'waiting']

const inTurn = list => (_, row) => list[row % list.length]
const oneOf = list => random => list[random(0, list.length - 1)]
const between = (low, high) => random => random(low, high)
const money = (low, high) => random => random(low * 4, high * 4) / 4
/** Excel day numbers in 2024. */
const someDay = random => ({ day: random(45292, 45600) })

// ── Tasks ───────────────────────────────────────────────────────────────────

/**
 * A kind of task: the columns of its table, the question, and the expected values of the answer's column
 * (`each`, or `list` for a shorter one) or of one cell (`cell`). `twists` make a task harder than it looks.
 */
const kinds = {
  product: ([item, a, b, target]) => ({
    columns: [[item, inTurn(goods)], [a, between(2, 40)], [b, money(1, 60)], [target]],
    instruction: `For every row, write ${a} times ${b} into the column ${target}.`,
    each: row => row[1] * row[2],
    numeric: 1,
  }),
  difference: ([item, a, b, target]) => ({
    columns: [[item, inTurn(goods)], [a, money(100, 400)], [b, money(10, 90)], [target]],
    instruction: `Fill the column ${target} with ${a} minus ${b}, row by row.`,
    each: row => row[1] - row[2],
    numeric: 1,
  }),
  total: ([item, a]) => ({
    columns: [
      [item, inTurn(goods)],
      [a, between(10, 2500)],
    ],
    instruction: `Add up the column ${a} and write the sum into the cell D2.`,
    cell: rows => rows.reduce((sum, row) => sum + row[1], 0),
    numeric: 1,
  }),
  count: ([item, a]) => ({
    columns: [
      [item, inTurn(firstNames)],
      [a, oneOf(states)],
    ],
    instruction: `Count the rows whose ${a} is "open" and write the number into the cell D2.`,
    cell: rows => rows.filter(row => row[1] === 'open').length,
  }),
  sumWhere: ([item, a, b]) => ({
    columns: [
      [item, inTurn(goods)],
      [a, oneOf(cities)],
      [b, between(20, 1900)],
    ],
    instruction: `Add up the ${b} of all rows whose ${a} is "Porto" and write the sum into the cell E2.`,
    cell: rows => rows.filter(row => row[1] === 'Porto').reduce((sum, row) => sum + row[2], 0),
    answerColumn: 5,
    numeric: 2,
    read: { 1: 'Porto' },
  }),
  label: ([item, a, target, limit, yes, no]) => ({
    columns: [[item, inTurn(firstNames)], [a, between(limit - 30, limit + 30)], [target]],
    instruction: `Write "${yes}" into the column ${target} where ${a} is at least ${limit}, and "${no}" in every other row.`,
    each: row => (row[1] >= limit ? yes : no),
    numeric: 1,
    read: { 1: limit + 5 },
  }),
  lookup: ([item, key, found, sheet]) => ({
    columns: [[item, inTurn(firstNames)], [key, random => `K-${random(1, 9)}`], [found]],
    instruction: `For every row, look up the ${key} in the sheet ${sheet} and write its ${found} into the column ${found}. Leave the cell empty if the ${key} is not listed there.`,
    list: { sheet, headers: [key, found], rows: [1, 2, 3, 4, 5, 7, 8].map(n => [`K-${n}`, 4 + n * 2.5]) },
    each: (row, list) => list.find(([key]) => key === row[1])?.[1],
  }),
  filter: ([item, a, target]) => ({
    columns: [[item, inTurn(firstNames)], [a, oneOf(cities)], [target]],
    instruction: `List the ${item} of all rows whose ${a} is "Oslo" in the column ${target}, one below the other and in their order.`,
    shorter: rows => rows.filter(row => row[1] === 'Oslo').map(row => row[0]),
  }),
  date: ([item, a, target, days]) => ({
    columns: [[item, inTurn(goods)], [a, someDay], [target]],
    instruction: `Write into the column ${target} the date that is ${days} days after ${a}, for every row.`,
    each: row => ({ day: row[1].day + days }),
  }),
  join: ([first, last, target]) => ({
    columns: [[first, inTurn(firstNames)], [last, inTurn(lastNames)], [target]],
    instruction: `Write into the column ${target} the ${first} and the ${last} of every row, with one space between them.`,
    each: row => `${row[0]} ${row[1]}`,
  }),
}

/**
 * `kind name: words, twists`. Twists: `text` stores numbers as text, `sheet` uses a sheet other than the
 * first, `title` adds a title above the table, `cases` makes three cases.
 */
const tasks = {
  train: [
    ['count', ['Customer', 'Status']],
    ['label', ['Student', 'Score', 'Result', 50, 'Pass', 'Fail'], 'cases'],
    ['join', ['First', 'Last', 'Full name']],
    ['product', ['Article', 'Units', 'Price', 'Total']],
    ['difference', ['Article', 'Price', 'Discount', 'Net']],
    ['total', ['Article', 'Sold']],
    ['product', ['Part', 'Boxes', 'Weight', 'Load'], 'text'],
    ['sumWhere', ['Article', 'Store', 'Amount'], 'text'],
    ['label', ['Driver', 'Points', 'Level', 80, 'senior', 'junior'], 'sheet'],
    ['join', ['Given name', 'Family name', 'Name'], 'title'],
    ['date', ['Article', 'Ordered', 'Due', 30]],
    ['lookup', ['Buyer', 'Code', 'Rate', 'Rates'], 'sheet'],
    ['filter', ['Speaker', 'Town', 'Oslo list'], 'title'],
    ['date', ['Machine', 'Checked', 'Next check', 90]],
    ['sumWhere', ['Ticket', 'Venue', 'Price'], 'text'],
    ['lookup', ['Shop', 'Zone', 'Toll', 'Tolls'], 'title'],
  ],
  val: [
    ['sumWhere', ['Order', 'Branch', 'Value'], 'cases'],
    ['lookup', ['Client', 'Tariff', 'Fee', 'Tariffs']],
    ['product', ['Crop', 'Fields', 'Yield', 'Harvest']],
    ['count', ['Patient', 'Stage'], 'sheet'],
    ['total', ['Job', 'Minutes']],
    ['date', ['Lease', 'Signed', 'Review', 60]],
    ['difference', ['Account', 'Income', 'Costs', 'Profit']],
    ['label', ['Runner', 'Seconds', 'Group', 60, 'B', 'A'], 'title'],
    ['date', ['Loan', 'Paid out', 'Payback', 14], 'sheet'],
    ['label', ['Player', 'Goals', 'Award', 40, 'gold', 'none'], 'text'],
    ['count', ['Caller', 'State']],
  ],
  test: [
    ['count', ['Member', 'Request']],
    ['label', ['Sample', 'Grade', 'Verdict', 70, 'keep', 'drop']],
    ['filter', ['Guest', 'City', 'From Oslo']],
    ['join', ['Forename', 'Surname', 'Label']],
    ['sumWhere', ['Parcel', 'Hub', 'Fees']],
    ['lookup', ['Tenant', 'Unit code', 'Rent', 'Rents'], 'cases'],
    ['product', ['Worker', 'Hours', 'Wage', 'Pay']],
    ['filter', ['Driver', 'Depot', 'In Oslo']],
    ['total', ['Bin', 'Pieces']],
    ['sumWhere', ['Bill', 'Office', 'Sum'], 'text'],
    ['product', ['Cargo', 'Pallets', 'Rate', 'Charge'], 'text'],
    ['join', ['Call name', 'Family', 'Badge'], 'sheet'],
    ['count', ['Editor', 'Draft'], 'sheet'],
    ['label', ['Pilot', 'Flights', 'Rank', 100, 'captain', 'mate'], 'title'],
    ['date', ['Visa', 'Issued', 'Expires', 180]],
    ['date', ['Plant', 'Sown', 'Picked', 75], 'title'],
  ],
}

// ── Workbooks ───────────────────────────────────────────────────────────────

const asText = value =>
  value >= 1000 ? `${Math.floor(value / 1000)},${String(value % 1000).padStart(3, '0')}` : ` ${value}`

function cellOf(value) {
  if (value === undefined) return null
  if (typeof value === 'object') return { t: 'n', v: value.day, z: 'yyyy-mm-dd' }
  return value
}

const letter = column => String.fromCharCode(64 + column)

/** One case: the given workbook and the expected one. */
function caseOf(kind, twist, seed) {
  const random = numbersFrom(seed)
  const count = random(9, 14)
  const width = kind.columns.length
  const rows = Array.from({ length: count }, (_, index) =>
    kind.columns.map(([, make]) => make?.(random, index)),
  )
  const top = twist === 'title' ? 4 : 2
  const hasText = row => twist === 'text' && row % 4 === 2
  const isText = (row, column) => hasText(row) && column === kind.numeric
  // A number stored as text is a trap only if the task has to read it.
  for (const [index, row] of rows.entries()) if (hasText(index)) Object.assign(row, kind.read)
  const shown = rows.map((row, index) =>
    row.map((value, column) => cellOf(isText(index, column) ? asText(value) : value)),
  )
  const title = twist === 'title' ? [['Made up for this example'], []] : []
  const given = [...title, kind.columns.map(([name]) => name), ...shown]
  const made = given.map(row => [...row])
  const put = (row, column, value) => {
    made[row - 1][column - 1] = cellOf(value)
  }
  const list = kind.list?.rows ?? []
  const answerColumn = kind.cell === undefined ? width : (kind.answerColumn ?? 4)
  if (kind.cell !== undefined) put(2, answerColumn, kind.cell(rows))
  const results =
    kind.shorter?.(rows) ?? (kind.each === undefined ? [] : rows.map(row => kind.each(row, list)))
  for (const [index, value] of results.entries()) put(top + index, answerColumn, value)
  const column = letter(answerColumn)
  const position = kind.cell === undefined ? `${column}${top}:${column}${top + count - 1}` : `${column}2`
  const listRows = kind.list === undefined ? undefined : [kind.list.headers, ...list]
  return { given, made, listRows, position }
}

function bytesOf(sheets) {
  const workbook = XLSX.utils.book_new()
  for (const [name, rows] of sheets) {
    XLSX.utils.book_append_sheet(workbook, XLSX.utils.aoa_to_sheet(rows), name)
  }
  return XLSX.write(workbook, { type: 'buffer', bookType: 'xlsx', compression: true })
}

/** The table is on the first sheet, unless the twist moves it. */
function sheetsOf(table, listRows, kind, twist) {
  const notes = [['Notes'], ['All figures are made up.']]
  const beside = listRows === undefined ? ['Notes', notes] : [kind.list.sheet, listRows]
  const own = ['Data', table]
  if (twist === 'sheet') return [beside, own]
  return listRows === undefined ? [own] : [own, beside]
}

await rm(root, { recursive: true, force: true })
let number = 0
for (const [split, list] of Object.entries(tasks)) {
  const items = []
  for (const [name, words, twist = 'none'] of list) {
    number += 1
    const id = `made-up-${String(number).padStart(2, '0')}`
    const kind = kinds[name](words)
    const folder = new URL(`spreadsheet/${id}/`, root)
    await mkdir(folder, { recursive: true })
    const cases = twist === 'cases' ? [1, 2, 3] : [1]
    const made = cases.map(which => caseOf(kind, twist, number * 1000 + which))
    for (const [index, each] of made.entries()) {
      const write = (file, table) =>
        writeFile(
          new URL(`${index + 1}_${id}_${file}.xlsx`, folder),
          bytesOf(sheetsOf(table, each.listRows, kind, twist)),
        )
      await write('input', each.given)
      await write('answer', each.made)
    }
    const last = Math.max(...made.map(({ position }) => Number(/\d+$/.exec(position)[0])))
    items.push({
      id,
      instruction: kind.instruction,
      spreadsheet_path: `spreadsheet/${id}`,
      instruction_type: kind.cell === undefined ? 'Sheet-Level Manipulation' : 'Cell-Level Manipulation',
      answer_position: made[0].position.replace(/\d+$/, String(last)),
      answer_sheet: 'Data',
    })
  }
  await mkdir(new URL(`${split}/`, root), { recursive: true })
  await writeFile(new URL(`${split}/items.json`, root), `${JSON.stringify(items, null, 2)}\n`)
}
process.stdout.write(`${number} tasks in ${fileURLToPath(root)}\n`)
