import { mkdir, stat } from 'node:fs/promises'
import { dirname, extname, join, resolve } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { evaluatedIn, testedPairs } from '../../../app/evaluation-details.js'
import { failingTasks } from '../../../app/failing-tasks.js'
import { stateOf } from '../../../app/run-state.js'
import { exitCodes, InputError, messageOf } from '../../../core/errors/errors.js'
import { lineOrigins, type Span } from '../../../core/skill/document.js'
import { settingsOf } from '../../../core/view/settings-list.js'
import type { ReportSource } from '../../../report/blocks/source.js'
import { renderHtml } from '../../../report/html.js'
import { renderMarkdown } from '../../../report/markdown.js'
import { findRunOrNewest, type OpenedRun, readWhole } from '../../inputs/open-run.js'
import { bytes, shownPath } from '../../output/text.js'
import { type Io, printLine, warnLine } from '../../terminal/io.js'
import { openFile } from '../../terminal/open-file.js'

type Format = 'md' | 'html'

export interface ReportFlags {
  readonly out?: string | undefined
  readonly open?: true | undefined
}

const renderers = { md: renderMarkdown, html: renderHtml } as const

/** Writes a report on a run, as Markdown or HTML. Does not change the run. */
export async function report(
  io: Io,
  named: string | undefined,
  { openWith = openFile, ...flags }: ReportFlags & { readonly openWith?: typeof openFile },
): Promise<number> {
  const directory = await findRunOrNewest(io, named)
  const files = await filesOf(directory, flags.out, io.cwd)
  const page = files.find(({ format }) => format === 'html')
  if (flags.open && page === undefined) {
    throw new InputError('--open shows the HTML file, but --out names a Markdown file.', {
      hint: 'Leave out --open, or pass a folder or an .html file as --out.',
    })
  }
  const source = await sourceOf(await readWhole(directory, io.cwd))
  for (const { path, format } of files) {
    const text = renderers[format](source)
    await writeReport(path, text, '--out')
    printLine(io, `wrote ${shownPath(path, io.cwd)} (${bytes(Buffer.byteLength(text))})`)
  }
  if (flags.open && page !== undefined && !(await openWith(page.path))) {
    warnLine(io, `No program found to open it. The file is ${shownPath(page.path, io.cwd)}.`)
  }
  return exitCodes.ok
}

/** The files to write. A path that ends in .md or .html is a file; any other path is a folder. */
async function filesOf(
  directory: string,
  out: string | undefined,
  cwd: string,
): Promise<{ path: string; format: Format }[]> {
  const path = out === undefined ? directory : resolve(cwd, out)
  const named = { '.md': 'md', '.html': 'html' }[extname(path)] as Format | undefined
  const kind = await kindOf(path)
  if (named === undefined || kind === 'folder') {
    if (kind === 'file') {
      throw new InputError(`${out} is a file whose name ends neither in .md nor in .html.`, {
        hint: 'Pass a folder, or a file that ends in .md or .html.',
      })
    }
    return (['md', 'html'] as const).map(format => ({ path: join(path, `report.${format}`), format }))
  }
  return [{ path, format: named }]
}

async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  return stat(path).then(
    entry => (entry.isDirectory() ? 'folder' : 'file'),
    () => undefined,
  )
}

/** Renders the report of a run as a single string. */
export async function renderReport(directory: string, cwd: string, ending: string): Promise<string> {
  const source = await sourceOf(await readWhole(directory, cwd))
  return renderers[ending === '.html' ? 'html' : 'md'](source)
}

export async function writeReport(path: string, text: string, option: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFileAtomic(path, text)
  } catch (error) {
    throw new InputError(`Cannot write the report to ${path}: ${messageOf(error)}.`, {
      hint: `Choose another place with ${option}.`,
      cause: error,
    })
  }
}

async function sourceOf({ view, reader }: OpenedRun): Promise<ReportSource> {
  const { best, oneShot } = view
  const text = best && (await reader.get(best.text))
  const origins = best && (JSON.parse(await reader.get(best.origins)) as readonly Span[])
  return {
    view,
    state: await stateOf(view),
    seed: view.seedSkill === '' ? '' : await reader.get(view.seedSkill),
    best:
      text === undefined || origins === undefined
        ? undefined
        : { text, lines: lineOrigins({ text, origins }) },
    oneShot: oneShot?.text === undefined ? undefined : await reader.get(oneShot.text),
    settings: settingsOf(view),
    failures: await failingTasks(view, reader.events()),
    tested: await testedPairs(view, ref => reader.get(ref)),
    ...(view.kind === 'eval'
      ? await evaluatedIn(view, ref => reader.get(ref))
      : { splits: [], comparisons: [] }),
  }
}
