import { readFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { contentHash } from '../core/text/hash.js'

const relativeImport = /\b(?:from|import|require)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g
/** In which an import may leave its ending out, or name the file that TypeScript would become. */
const endings = [
  '',
  ...['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json'].flatMap(end => [`.${end}`, `/index.${end}`]),
]

/**
 * Of a file of the user's and of those that it imports by relative paths, and so on. A file without such imports has
 * the hash of its text. One that is named in a comment only counts too: better once too often than not at all.
 */
export async function codeHash(file: string): Promise<string> {
  const own = await readFile(file, 'utf8')
  const texts = new Map([[file, own]])
  // A map that grows while it is gone through is gone through to its end.
  for (const [path, text] of texts) {
    for (const found of await importedBy(path, text)) {
      if (!texts.has(found.path)) texts.set(found.path, found.text)
    }
  }
  if (texts.size === 1) return contentHash(own)
  // By where they lie from each other: a project that was moved is the same project.
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
    return { path, text: await readFile(path, 'utf8') }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return undefined
    throw error
  }
}
