import { resolve } from 'node:path'
import { InputError } from '../../../core/errors/errors.js'
import { contentHash } from '../../../core/text/hash.js'
import type { Item } from '../../loading/data.js'
import type { OfficeTask } from './item.js'
import { keyOf, pagesFolder, pagesNamed, readPages } from './parsed-documents.js'
import { firstCharacters } from './text.js'

interface PageOptions {
  readonly mode: 'tools' | 'pages' | 'both'
  readonly sourcesDir: string
  readonly pagesDir?: string | undefined
  readonly pageCharacters: number
  readonly pagesCharacters: number
}

/** The pages for prompts. Many tasks share a page, so tasks hold only hashes and the text is stored here. */
export class Pages {
  readonly #folder: string
  readonly #options: PageOptions
  readonly #texts = new Map<string, string>()
  readonly #incomplete: string[] = []

  private constructor(folder: string, options: PageOptions) {
    this.#folder = folder
    this.#options = options
  }

  /** Returns `undefined` if prompts show no pages. */
  static async open(options: PageOptions, baseDir: string): Promise<Pages | undefined> {
    if (options.mode === 'tools') return undefined
    const pagesDir = options.pagesDir === undefined ? undefined : resolve(baseDir, options.pagesDir)
    return new Pages(await pagesFolder(resolve(baseDir, options.sourcesDir), pagesDir), options)
  }

  /** Adds to tasks the pages that their items name. Without tools, every task needs one. */
  async addTo(tasks: readonly OfficeTask[], items: readonly Item[]): Promise<readonly OfficeTask[]> {
    const named = tasks.map(({ documents, sources }) =>
      pagesNamed(
        documents,
        sources.map(({ path }) => path),
      ),
    )
    for (const [key, text] of await readPages(this.#folder, named.flat())) this.#texts.set(key, text)
    return tasks.map((task, index) => {
      const refs = named[index] ?? []
      const pages = refs.flatMap(ref => {
        const text = this.#texts.get(keyOf(ref))
        return text === undefined ? [] : [{ ...ref, hash: contentHash(text) }]
      })
      if (pages.length < refs.length) this.#incomplete.push(task.id)
      if (pages.length > 0 || this.#options.mode === 'both') return { ...task, pages }
      const problem = refs.length === 0 ? 'names no page in `source_docs`' : 'names no page that has a text'
      throw new InputError(`${items[index]?.at} (task ${task.id}) ${problem}, and the agent has no tools.`, {
        hint: `Parsed pages are looked for in ${this.#folder}. Remove the task, or set \`mode: tools\` or \`mode: both\`.`,
      })
    })
  }

  warnings(): readonly string[] {
    const tasks = this.#incomplete
    if (tasks.length === 0) return []
    const shown = tasks.slice(0, 5).join(', ')
    const rest = tasks.length > 5 ? ` and ${tasks.length - 5} more` : ''
    return [`Pages that these tasks name are not in ${this.#folder}, or are empty: ${shown}${rest}.`]
  }

  /** The pages as text for the prompt. Text beyond the limits is left out with a note. */
  render({ pages = [] }: OfficeTask): string {
    const { pageCharacters, pagesCharacters } = this.#options
    const shown: string[] = []
    let left = pagesCharacters
    for (const page of pages) {
      if (left === 0) {
        shown.push('[There are more pages than fit here.]')
        break
      }
      const text = this.#texts.get(keyOf(page)) ?? ''
      const cut = firstCharacters(text, Math.min(pageCharacters, left))
      left -= [...cut].length
      const note = cut === text ? '' : '\n\n[The rest of this page does not fit here.]'
      shown.push(`### ${page.source}, page ${page.page}\n\n${cut}${note}`)
    }
    return shown.join('\n\n')
  }
}
