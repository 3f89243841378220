import { existsSync, readdirSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `.js` when built, `.ts` when run from source. */
const extension = extname(fileURLToPath(import.meta.url))
const agents = new URL('../', import.meta.url)

/** Maps each agent id to its file of this name, for agents whose folder has one. */
export function agentFiles(name: 'harness' | 'transcripts' | 'install'): ReadonlyMap<string, URL> {
  const files = new Map<string, URL>()
  for (const id of readdirSync(agents).sort()) {
    const file = new URL(`${id}/${name}${extension}`, agents)
    if (existsSync(file)) files.set(id, file)
  }
  return files
}
