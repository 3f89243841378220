import { readdir, readFile } from 'node:fs/promises'

/** The optimizer prompts, by name, from the folder `prompts/` beside an environment's module. */
export async function ownPrompts(moduleUrl: string): Promise<Readonly<Record<string, string>>> {
  const folder = new URL('./prompts/', moduleUrl)
  const files = (await readdir(folder)).filter(name => name.endsWith('.md')).sort()
  const read = files.map(
    async name => [name.slice(0, -'.md'.length), await readFile(new URL(name, folder), 'utf8')] as const,
  )
  return Object.fromEntries(await Promise.all(read))
}
