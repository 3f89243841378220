import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

/**
 * A block of the docs marked `<!-- output: NAME -->` shows a command's real output. When that changes on
 * purpose, UPDATE_DOCS=1 rewrites the block.
 */
export function expectShown(page: string, name: string, actual: string): void {
  const file = fileURLToPath(new URL(`../../${page}`, import.meta.url))
  const markdown = readFileSync(file, 'utf8')
  const [before, after = ''] = markdown.split(`<!-- output: ${name} -->\n\`\`\`text\n`)
  const end = after.indexOf('```\n')
  if (end < 0) throw new Error(`${page} has no block marked as output: ${name}.`)
  if (process.env.UPDATE_DOCS === '1') {
    const text = `${before}<!-- output: ${name} -->\n\`\`\`text\n${actual}\n${after.slice(end)}`
    writeFileSync(file, text)
    return
  }
  const hint = `${page} shows another output; if the new one is right: UPDATE_DOCS=1 npx vitest run test/docs.test.ts test/examples.test.ts test/end-to-end/{benchmarks,sleep-gbrain}.slow.test.ts`
  expect(after.slice(0, end), hint).toBe(`${actual}\n`)
}

/** The lines from the first match of `from` up to, but excluding, the next match of `until`. */
export function linesBetween(text: string, from: RegExp, until: RegExp): string[] {
  const lines = text.split('\n').map(line => line.trimEnd())
  const start = lines.findIndex(line => from.test(line))
  const length = lines.slice(start).findIndex(line => until.test(line))
  if (start < 0 || length < 0) throw new Error(`There are no lines from ${from} until ${until}.`)
  return lines.slice(start, start + length)
}
