import { dirname, relative, resolve } from 'node:path'
import { contentHash } from '../core/text/hash.js'
import { readPlainFile } from '../system/plain-file.js'

const relativeImport = /\b(?:from|import|require)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g
/**
 * Suffixes to try for an import that omits its extension or names the compiled version of a TypeScript file.
 */
const endings = [
  '',
  ...['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json'].flatMap(end => [`.${end}`, `/index.${end}`]),
]

/**
 * Hashes a user's file together with the files it imports by relative paths, directly or indirectly. A file
 * without such imports has the hash of its text. Imports that appear only in comments count too, because a
 * needless change of the hash is better than a missed one.
 */
export async function codeHash(file: string): Promise<string> {
  const own = (await readPlainFile(file)).toString('utf8')
  const texts = new Map([[file, own]])
  // Iterating over a Map also visits entries that are added meanwhile.
  for (const [path, text] of texts) {
    for (const found of await importedBy(path, text)) {
      if (!texts.has(found.path)) texts.set(found.path, found.text)
    }
  }
  if (texts.size === 1) return contentHash(own)
  // The paths are relative, so that moving the project does not change the hash.
  const all = [...texts].map(([path, text]) => `${relative(dirname(file), path)} ${contentHash(text)}`)
  return contentHash(all.sort().join('\n'))
}

async function importedBy(path: string, text: string): Promise<readonly { path: string; text: string }[]> {
  const named = [...text.matchAll(relativeImport)].map(match => resolve(dirname(path), match[2] ?? ''))
  const candidates = named.flatMap(name => [
    ...endings.map(ending => name + ending),
    ...(/\.[cm]?js$/.test(name) ? [name.replace(/js$/, 'ts')] : []),
  ])
  const read = await Promise.all([...new Set(candidates)].map(readIfThere))
  return read.filter(found => found !== undefined)
}

async function readIfThere(path: string): Promise<{ path: string; text: string } | undefined> {
  try {
    return { path, text: (await readPlainFile(path)).toString('utf8') }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return undefined
    throw error
  }
}
