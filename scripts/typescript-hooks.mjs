/**
 * Node loader hooks for our TypeScript. Compiled output is cached by content, so that of hundreds of
 * processes only the first loads the compiler.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cache = fileURLToPath(new URL('../node_modules/.cache/skillopt-typescript', import.meta.url))
const isOurs = url => url.startsWith('file:') && url.endsWith('.ts') && !url.includes('/node_modules/')

export async function resolve(specifier, context, next) {
  // Sources import each other by their compiled names.
  const fromSource = context.parentURL !== undefined && isOurs(context.parentURL)
  if (!fromSource || !/^\.\.?\/.*\.js$/.test(specifier)) return next(specifier, context)
  return next(specifier.replace(/\.js$/, '.ts'), context)
}

export async function load(url, context, next) {
  if (!isOurs(url)) return next(url, context)
  const path = fileURLToPath(url)
  return {
    format: 'module',
    shortCircuit: true,
    source: await transpiled(path, await readFile(path, 'utf8')),
  }
}

async function transpiled(path, source) {
  const kept = join(cache, `${createHash('sha256').update(`${path}\n${source}`).digest('hex')}.js`)
  try {
    return await readFile(kept, 'utf8')
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  const { default: typescript } = await import('typescript')
  const { ModuleKind, ScriptTarget } = typescript
  const compilerOptions = {
    target: ScriptTarget.ES2023,
    module: ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    inlineSourceMap: true,
  }
  const { outputText } = typescript.transpileModule(source, { fileName: path, compilerOptions })
  // Write to a unique file and rename it: concurrent writers must not expose a partial file.
  const written = `${kept}.${randomUUID()}`
  await mkdir(cache, { recursive: true })
  await writeFile(written, outputText)
  await rename(written, kept)
  return outputText
}
