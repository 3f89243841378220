import { InputError } from '../../core/errors/errors.js'
import { isPath, loadModule, type ModuleKind } from '../../project/modules.js'
import type { Embedder } from './embedded.js'

const embedderKind: ModuleKind = {
  what: 'embedder',
  folder: 'sleep/mining/embedders',
  option: 'embedder',
  makes: 'createEmbedder',
  file: name => name,
}

/**
 * Loads an embedder. `use` is a name such as `minilm`, whose packages the user installs in `packages` or a
 * parent folder, or the path, relative to `baseDir`, of a module that exports `embedder`.
 */
export async function loadEmbedder(
  use: string,
  { baseDir, packages = baseDir }: { readonly baseDir: string; readonly packages?: string },
): Promise<Embedder> {
  const loaded = await loadModule(embedderKind, use, baseDir)
  if (!isPath(use)) {
    const create = loaded.createEmbedder as (baseDir: string) => Promise<Embedder>
    return create(packages)
  }
  const { embedder } = loaded
  if (isEmbedder(embedder)) return embedder
  throw new InputError(
    `embedder: the file ${use} exports no \`embedder\` with an \`id\` and a function \`embed\`.`,
    {
      hint: 'Export an object: export const embedder = { id: "mine", embed: async texts => … }, one Float32Array per text.',
    },
  )
}

function isEmbedder(value: unknown): value is Embedder {
  if (typeof value !== 'object' || value === null) return false
  const { id, embed } = value as Partial<Embedder>
  return typeof id === 'string' && id !== '' && typeof embed === 'function'
}
