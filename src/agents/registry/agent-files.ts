import { existsSync, readdirSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The extension is `.js` when built and `.ts` when run from source. */
const extension = extname(fileURLToPath(import.meta.url))
const agents = new URL('../', import.meta.url)

/** Maps agent ids to their file of this name. Agents without such a file are left out. */
export function agentFiles(name: 'harness' | 'transcripts' | 'install'): ReadonlyMap<string, URL> {
  const files = new Map<string, URL>()
  for (const id of readdirSync(agents).sort()) {
    const file = new URL(`${id}/${name}${extension}`, agents)
    if (existsSync(file)) files.set(id, file)
  }
  return files
}
