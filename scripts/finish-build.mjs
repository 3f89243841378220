/**
 * Build steps that `tsc` does not do: non-TypeScript files, stale output, the declarations of the public API,
 * the JSON schema for editors, and the executable bit.
 */
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { z } from 'zod'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = join(root, 'src')
const target = join(root, 'dist')

const assets = (await readdir(source, { recursive: true })).filter(
  // Licences are copied along with the files they cover.
  path =>
    (/\.(md|json|jsonl)$/.test(path) || basename(path) === 'LICENSE') &&
    !path.split(/[\\/]/).includes('fixtures'),
)
for (const path of assets) {
  await mkdir(dirname(join(target, path)), { recursive: true })
  await copyFile(join(source, path), join(target, path))
}

// `tsc` leaves the output of removed sources behind, and providers and agents are found by listing folders.
for (const path of await readdir(target, { recursive: true })) {
  const [stem] = path.match(/^(?!web\b|\.types\b).*(?=\.(?:js|js\.map|d\.ts)$)/) ?? []
  if (stem !== undefined && !existsSync(join(source, `${stem}.ts`))) await rm(join(target, path))
}
await copyDeclarations(join(target, '.types'), ['app/index.d.ts', 'testing/index.d.ts'])

const { configSchema } = await import(new URL('../dist/core/config/config.js', import.meta.url).href)
const schema = z.toJSONSchema(configSchema, { io: 'input' })
await writeFile(join(target, 'config.schema.json'), `${JSON.stringify(schema, null, 2)}\n`)

try {
  await chmod(join(target, 'cli', 'main.js'), 0o755)
} catch (error) {
  // A partial build has no command line; any other error is real.
  if (error.code !== 'ENOENT') throw error
}

/** Nine in ten declarations cannot be reached from the public API, so they are not shipped. */
async function copyDeclarations(from, entries) {
  const stale = (await readdir(target, { recursive: true })).filter(
    path => /\.d\.ts$|\.map$/.test(path) && !path.startsWith('.types'),
  )
  await Promise.all(stale.map(path => rm(join(target, path))))
  // Iterating a Set also visits entries that are added during the iteration.
  const reached = new Set(entries)
  for (const path of reached) {
    const text = await readFile(join(from, path), 'utf8')
    for (const { fileName } of ts.preProcessFile(text).importedFiles)
      if (fileName.startsWith('.')) reached.add(join(dirname(path), fileName.replace(/\.js$/, '.d.ts')))
    await mkdir(dirname(join(target, path)), { recursive: true })
    await writeFile(join(target, path), text)
  }
}
