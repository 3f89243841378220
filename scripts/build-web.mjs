/** Builds the dashboard's pages into dist/web; skips the build if none of its inputs have changed. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'dist', '.web-made-of')

const made = await madeOf([
  'web',
  join('src', 'core'),
  join('src', 'dashboard', 'contract'),
  join('src', 'sleep', 'model'),
])
const before = existsSync(stamp) ? await readFile(stamp, 'utf8') : ''
if (made !== before || !existsSync(join(root, 'dist', 'web', 'index.html'))) {
  const { build } = await import('vite')
  await build({ configFile: join(root, 'web', 'vite.config.ts'), logLevel: 'warn' })
  await writeFile(stamp, made)
}

async function madeOf(folders) {
  const hash = createHash('sha256')
  for (const folder of folders) {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true })
    const files = entries.filter(entry => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    const paths = files
      .map(file => join(file.parentPath, file.name))
      .filter(path => !path.includes('node_modules'))
    for (const path of paths.sort())
      hash
        .update(`${path.slice(root.length)}\0`)
        .update(await readFile(path))
        .update('\0')
  }
  hash.update(await readFile(join(root, 'package-lock.json')))
  return hash.digest('hex')
}
