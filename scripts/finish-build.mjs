/**
 * Build steps that `tsc` does not do: non-TypeScript files, stale output, the JSON schema for editors, and
 * the executable bit.
 */
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
  const [stem] = path.match(/^(?!web\b).*(?=\.(?:js|js\.map|d\.ts)$)/) ?? []
  if (stem !== undefined && !existsSync(join(source, `${stem}.ts`))) await rm(join(target, path))
}

const { configSchema } = await import(new URL('../dist/core/config/config.js', import.meta.url).href)
const schema = z.toJSONSchema(configSchema, { io: 'input' })
await writeFile(join(target, 'config.schema.json'), `${JSON.stringify(schema, null, 2)}\n`)

try {
  await chmod(join(target, 'cli', 'main.js'), 0o755)
} catch (error) {
  // A partial build has no command line; any other error is real.
  if (error.code !== 'ENOENT') throw error
}
