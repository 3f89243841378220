import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const here = dirname(fileURLToPath(import.meta.url))

/** Every source file that a module imports, directly or indirectly, by name relative to this folder. */
function moduleGraphOf(entry: string): Set<string> {
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    const source = readFileSync(file, 'utf8')
    for (const match of source.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      const imported = join(dirname(file), (match[1] ?? '').replace(/\.js$/, '.ts'))
      if (!existsSync(imported)) throw new Error(`${file} imports ${imported}, which is not there`)
      visit(imported)
    }
  }
  visit(join(here, entry))
  return new Set([...seen].map(file => relative(here, file)))
}

describe('the simulated models know nothing of the house', () => {
  it.each(['target.ts', 'optimizer.ts', 'judge.ts', 'responder.ts', 'main.ts'])(
    '%s does not reach the truth',
    entry => {
      const graph = moduleGraphOf(entry)
      expect(graph).toContain(join('world', 'compute.ts'))
      expect(graph).not.toContain(join('world', 'truth.ts'))
      expect(graph).not.toContain(join('world', 'generate.ts'))
    },
  )

  it('the check sees an import that is there', () => {
    expect(moduleGraphOf(join('world', 'generate.ts'))).toContain(join('world', 'truth.ts'))
  })

  it.each(['target.ts', 'optimizer.ts', 'judge.ts'])('%s reads no files', entry => {
    for (const file of moduleGraphOf(entry)) {
      expect(readFileSync(join(here, file), 'utf8')).not.toMatch(/node:fs|\.jsonl|process\.env/)
    }
  })
})
