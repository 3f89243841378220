import { existsSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { InputError } from '../../../core/errors/errors.js'
import type { Sandbox, SandboxLimits } from '../../../core/ports/sandbox.js'
import { withWorkspace, writeWorkspaceFile } from '../../scoring/workspace.js'
import type { Cell, Sheet, Workbook } from './cells.js'
import { readWorkbook } from './workbook.js'
import { WorkbookError } from './workbook-error.js'

interface Place {
  readonly sandbox: Sandbox
  readonly signal: AbortSignal
}

const limits: SandboxLimits = {
  seconds: 120,
  memoryMegabytes: 2048,
  processes: 256,
  fileMegabytes: 200,
  outputCharacters: 2000,
}

const program = 'soffice'
/** Folder with LibreOffice's settings on Linux; LibreOffice does not start without it. */
const settingsFolder = '/etc/libreoffice'
/** A shell command, because the profile's absolute path is known only inside the sandbox. */
const convert = `exec ${program} --headless --norestore "-env:UserInstallation=file://$PWD/profile" --convert-to "xlsx:Calc MS Excel 2007 XML" --outdir calculated "$0"`
const profileFile = 'profile/user/registrymodifications.xcu'
/** LibreOffice setting to recalculate all formulas on opening, whichever program wrote the workbook. */
const profile = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
`

/** Tries a recalculation before anything is spent. Throws `InputError` if formulas cannot be calculated. */
export async function checkRecalculation(place: Place): Promise<void> {
  if (!(await place.sandbox.has(program))) {
    throw new InputError(
      'Formulas are to be recalculated, and LibreOffice (`soffice`) is not in the sandbox.',
      {
        hint: 'Install it for the whole system (`apt-get install libreoffice-calc`), or set `recalculate: false`.',
      },
    )
  }
  const attempt = await withWorkspace(async workspace => {
    await writeFile(join(workspace, 'try.csv'), '1\n')
    return calculate(workspace, 'try.csv', place)
  })
  if ('workbook' in attempt) return
  throw new InputError(
    `Formulas are to be recalculated, and LibreOffice does not work in the sandbox: ${attempt.problem}`,
    {
      hint: 'Set `recalculate: false` to score formulas by the values that were saved with them.',
    },
  )
}

/**
 * The workbook with formula values that LibreOffice calculated in the sandbox. Other cells are unchanged. If
 * LibreOffice fails on the file, the workbook is returned as it is.
 */
export async function recalculated(workbook: Workbook, file: string, place: Place): Promise<Workbook> {
  if (!workbook.sheets.some(({ cells }) => [...cells.values()].some(hasFormula))) return workbook
  return withWorkspace(async workspace => {
    await copyFile(file, join(workspace, 'made.xlsx'))
    const calculated = await calculate(workspace, 'made.xlsx', place)
    return 'workbook' in calculated ? withValues(workbook, calculated.workbook) : workbook
  })
}

async function calculate(
  workspace: string,
  name: string,
  { sandbox, signal }: Place,
): Promise<{ readonly workbook: Workbook } | { readonly problem: string }> {
  await writeWorkspaceFile(workspace, profileFile, profile)
  await mkdir(join(workspace, 'calculated'))
  const readOnly = existsSync(settingsFolder) ? [settingsFolder] : []
  const result = await sandbox.run(['sh', '-c', convert, name], { workspace, limits, signal, readOnly })
  const output = join(workspace, 'calculated', `${name.slice(0, -extname(name).length)}.xlsx`)
  try {
    return { workbook: await readWorkbook(output, signal) }
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error
    const said = `${result.stdout}\n${result.stderr}`.trim()
    return { problem: result.timedOut ? `it took more than ${limits.seconds} seconds` : said }
  }
}

function hasFormula(cell: Cell): boolean {
  return cell.formula !== undefined
}

function withValues(workbook: Workbook, calculated: Workbook): Workbook {
  return {
    sheets: workbook.sheets.map(sheet => {
      const other = calculated.sheets.find(({ name }) => name === sheet.name)
      return other === undefined ? sheet : { ...sheet, cells: valuesFrom(sheet, other) }
    }),
  }
}

/** An array formula is stored in one cell only; its other cells get calculated values too. */
function valuesFrom(sheet: Sheet, calculated: Sheet): ReadonlyMap<number, Cell> {
  const cells = new Map(sheet.cells)
  for (const [key, cell] of calculated.cells) {
    if (hasFormula(cells.get(key) ?? cell)) cells.set(key, cell)
  }
  return cells
}
