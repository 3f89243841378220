import { z } from 'zod'
import { InputError } from '../../../core/errors/errors.js'
import type { Task } from '../../../core/task/task.js'
import type { Item } from '../../loading/data.js'
import type { PageRef } from './parsed-documents.js'
import type { Source, Sources } from './sources.js'

export interface OfficeTask extends Task {
  readonly question: string
  readonly answer: string
  readonly sources: readonly Source[]
  /** URLs of the sources, as in the published data. */
  readonly documents: readonly string[]
  /** Pages to show in the prompt, with a hash of their text. */
  readonly pages?: readonly (PageRef & { readonly hash: string })[]
}

const plain = z.union([z.string(), z.number()]).transform(value => String(value).trim())
const list = z
  .union([z.array(z.string()), z.string().transform(entriesIn)])
  .transform(entries => [...new Set(entries.map(entry => entry.trim()).filter(entry => entry !== ''))])

const itemSchema = z
  .object({
    uid: plain.optional(),
    id: plain.optional(),
    question: z.string().trim().min(1),
    answer: plain.optional(),
    ground_truth: plain.optional(),
    source_files: list,
    source_docs: list.optional(),
    difficulty: z.string().optional(),
    category: z.string().optional(),
  })
  .transform(({ uid, ground_truth, source_files, source_docs, ...item }) => ({
    question: item.question,
    id: uid ?? item.id ?? '',
    answer: item.answer ?? ground_truth ?? '',
    type: item.category ?? item.difficulty ?? '',
    files: source_files,
    documents: source_docs ?? [],
  }))

const fields =
  'Each item has `uid`, `question`, `answer`, a list `source_files`, and may have `source_docs` and `difficulty`.'

/** Checks an item and its files before anything is spent on an impossible task. Throws `InputError`. */
export async function readTask(item: Item, sources: Sources): Promise<OfficeTask> {
  const parsed = itemSchema.safeParse(item.fields)
  if (!parsed.success)
    throw new InputError(`${item.at} is not an OfficeQA item: ${z.prettifyError(parsed.error)}`, {
      hint: fields,
    })
  const { id, question, answer, type, files, documents } = parsed.data
  const missing =
    id === '' ? 'no `uid`' : answer === '' ? 'no `answer`' : files.length === 0 ? 'no `source_files`' : ''
  if (missing !== '')
    throw new InputError(`${item.at}${id === '' ? '' : ` (task ${id})`} has ${missing}.`, { hint: fields })
  const found: Source[] = []
  for (const file of files) {
    const refuse = (problem: string, hint: string): never => {
      throw new InputError(`${item.at} (task ${id}): the source ${file} ${problem}.`, { hint })
    }
    found.push(await sources.find(file, refuse))
  }
  return { id, ...(type === '' ? {} : { type }), question, answer, sources: found, documents }
}

/**
 * Splits a list in a CSV cell: one entry per line, or separated by commas or semicolons, with or without
 * brackets and quotes.
 */
function entriesIn(text: string): string[] {
  return text
    .trim()
    .replace(/^\[([\s\S]*)\]$/, '$1')
    .split(/[\r\n;,]/)
    .map(entry => entry.trim().replace(/^(["'])(.*)\1$/, '$2'))
}
