import { readFile, writeFile } from 'node:fs/promises'

const page = new URL('../docs/measured.md', import.meta.url)

/** Replaces the section between `<!-- name -->` and `<!-- /name -->` in docs/measured.md. */
export async function writeMeasured(name: string, text: string): Promise<void> {
  const current = await readFile(page, 'utf8')
  await writeFile(page, withSection(current, name, text))
}

export function withSection(markdown: string, name: string, text: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [start, end] = [markdown.indexOf(open), markdown.indexOf(close)]
  if (start < 0 || end < start) throw new Error(`docs/measured.md has no section ${open} … ${close}.`)
  return `${markdown.slice(0, start + open.length)}\n${text.trim()}\n${markdown.slice(end)}`
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')
}
