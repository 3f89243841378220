import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/**
 * Runs a benchmark: `node bench/run.mjs overhead [arguments]`. The TypeScript in this folder is compiled to
 * `bench-results/*.js` with every import of `src` turned into one of `dist`: types are checked against the sources,
 * what is measured is what ships, and no loader takes time or memory in the measured process.
 */

const root = new URL('../', import.meta.url)
const out = new URL('bench-results/', root)
const [name, ...rest] = process.argv.slice(2)

const folder = readdirSync(new URL('bench/', root)).filter(file => file.endsWith('.ts'))
if (name === undefined || !folder.includes(`${name}.ts`)) {
  console.error('Name a benchmark: overhead, ablation, crash, gate or mutation.')
  process.exit(2)
}
if (!existsSync(new URL('dist/index.js', root))) {
  console.error('There is no build to measure: run `npm run build` first.')
  process.exit(2)
}

const compilerOptions = {
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2023,
  verbatimModuleSyntax: true,
}
mkdirSync(out, { recursive: true })
const support = readdirSync(new URL('test/', root)).filter(file => /^[^.]+\.ts$/.test(file))
for (const file of [...support.map(file => `test/${file}`), ...folder.map(file => `bench/${file}`)]) {
  const source = readFileSync(new URL(file, root), 'utf8')
  const { outputText } = ts.transpileModule(source, { compilerOptions })
  const code = outputText.replaceAll("'../src/", "'../dist/").replaceAll("'../test/", "'./")
  writeFileSync(new URL(file.replace(/^.*\//, '').replace(/ts$/, 'js'), out), code)
}

const entry = fileURLToPath(new URL(`${name}.js`, out))
const { status, signal } = spawnSync(process.execPath, [entry, ...rest], {
  stdio: 'inherit',
  cwd: fileURLToPath(root),
})
process.exit(signal === null ? (status ?? 1) : 1)
