import { join, posix } from 'node:path'
import { z } from 'zod'
import { InputError, messageOf } from '../../../core/errors/errors.js'
import { readPlainFile } from '../../../system/plain-file.js'
import { isMissing } from '../../loading/rows.js'
import { decodeEntities } from './html-table.js'
import { folderAt, needFolder } from './sources.js'
import { tablesToMarkdown } from './tables.js'

/** A page that an item refers to, in one of the item's sources. */
export interface PageRef {
  readonly source: string
  readonly page: number
}

const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]

/** The pages that an item's document URLs refer to, such as `…/march-1951-42?page=7`. */
export function pagesNamed(documents: readonly string[], sources: readonly string[]): readonly PageRef[] {
  const named = new Map<string, PageRef>()
  for (const [index, document] of documents.entries()) {
    const page = Number(/[?&](?:page|pagenum|page_id)=(\d{1,6})(?!\d)/i.exec(document)?.[1] ?? Number.NaN)
    const source =
      sourceOf(document, sources) ?? sources[index] ?? (sources.length === 1 ? sources[0] : undefined)
    if (Number.isNaN(page) || source === undefined) continue
    named.set(keyOf({ source, page }), { source, page })
  }
  return [...named.values()]
}

/** The source whose name has the issue in the URL, written as `1951_03`. */
function sourceOf(document: string, sources: readonly string[]): string | undefined {
  const issue = new RegExp(`\\b(${months.join('|')})-(\\d{4})\\b`, 'i').exec(document)
  if (issue === null) return undefined
  const month = months.indexOf((issue[1] ?? '').toLowerCase()) + 1
  const name = `${issue[2]}_${String(month).padStart(2, '0')}`
  return sources.find(source => posix.basename(source).includes(name))
}

/** The folder with the parsed documents: the user's, or one in or beside the folder of sources. */
export async function pagesFolder(sourcesDir: string, pagesDir: string | undefined): Promise<string> {
  if (pagesDir !== undefined) return needFolder(pagesDir, 'pagesDir')
  for (const folder of [join(sourcesDir, 'jsons'), join(sourcesDir, '..', 'jsons')]) {
    const found = await folderAt(folder)
    if (found !== undefined) return found
  }
  throw new InputError(
    `There are no parsed pages: neither in ${sourcesDir} nor beside it is a folder "jsons".`,
    {
      hint: 'Say with `pagesDir` where they are, or set `mode: tools`.',
    },
  )
}

const parsedDocument = z.object({
  document: z.object({
    elements: z.array(
      z.object({
        content: z.string().nullish(),
        bbox: z.array(z.object({ page_id: z.number() })).nullish(),
      }),
    ),
  }),
})

/** Texts of the pages, keyed by `keyOf`. Missing and empty pages are left out. */
export async function readPages(
  folder: string,
  refs: readonly PageRef[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Map<string, Set<number>>()
  for (const { source, page } of refs) wanted.set(source, (wanted.get(source) ?? new Set()).add(page))
  const texts = new Map<string, string>()
  // Documents are read one at a time, because all of them together do not fit in memory.
  for (const [source, pages] of wanted) {
    const elements = await readElements(join(folder, `${posix.parse(source).name}.json`))
    for (const page of pages) {
      const content = elements.filter(({ bbox }) => bbox?.some(({ page_id }) => page_id === page) === true)
      const text = content.map(({ content }) => readable(content ?? '')).filter(part => part !== '')
      if (text.length > 0) texts.set(keyOf({ source, page }), text.join('\n\n'))
    }
  }
  return texts
}

export function keyOf({ source, page }: PageRef): string {
  return `${source}#${page}`
}

async function readElements(file: string) {
  try {
    return parsedDocument.parse(JSON.parse((await readPlainFile(file)).toString('utf8'))).document.elements
  } catch (error) {
    if (isMissing(error)) return []
    const problem = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error)
    throw new InputError(`${file} is not a parsed document: ${problem}`, {
      hint: 'It holds {"document": {"elements": [{"content", "bbox": [{"page_id"}]}]}}. Download it again, or set `mode: tools`.',
      cause: error,
    })
  }
}

function readable(content: string): string {
  return /<table[\s/>]/i.test(content) ? tablesToMarkdown(content).trim() : decodeEntities(content).trim()
}
