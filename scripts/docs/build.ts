import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assets, type Repository, type Site } from './site.js'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The Markdown for readers, without the skills of the examples, which are data. */
export function readRepository(): Repository {
  const below = ['docs', 'examples'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(name =>
      `${folder}/${name}`.replaceAll('\\', '/'),
    ),
  )
  const pages = below.filter(
    path => path.endsWith('.md') && (!path.startsWith('examples/') || isPageOfExample(path)),
  )
  const isFile = (path: string) => existsSync(join(root, path)) && statSync(join(root, path)).isFile()
  return {
    pages: ['README.md', 'CHANGELOG.md', 'SECURITY.md', ...pages.sort()],
    read: path => (isFile(path) ? readFileSync(join(root, path), 'utf8') : undefined),
  }
}

/** A README further down belongs to an agent's workspace. */
const isPageOfExample = (path: string) => /^examples\/[^/]+\/README\.md$/.test(path)

export function writeSite({ files, copies }: Site, folder: string): void {
  const place = (path: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    return join(folder, path)
  }
  for (const [path, text] of files) writeFileSync(place(path), text)
  for (const path of copies) copyFileSync(join(root, path), place(path))
  for (const name of assets) copyFileSync(fileURLToPath(new URL(name, import.meta.url)), place(name))
}
