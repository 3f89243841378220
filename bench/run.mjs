import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/**
 * Runs a benchmark: `node bench/run.mjs overhead [arguments]`. The TypeScript in this folder is compiled to
 * `bench-results/*.js`, with every import of `src` redirected to `dist`: types are checked against the
 * sources, the measured code is the code that ships, and no loader costs time or memory in the measured
 * process.
 *
 * `node bench/run.mjs --check` compiles without running and reports imports that would not resolve. The type
 * checker cannot find them, since it sees the files where they are written and not where they are run.
 */

const root = new URL('../', import.meta.url)
const out = new URL('bench-results/', root)
const [name, ...rest] = process.argv.slice(2)
const names = [
  'overhead',
  'ablation',
  'chaos',
  'concern',
  'corrections',
  'crash',
  'dashboard',
  'environments',
  'final-test',
  'harness',
  'harvest',
  'learning',
  'mining',
  'mutation',
  'peers',
  'sensitivity',
  'trials-ablation',
  'verdicts',
  'weight',
]

/** Only files directly in the folder are benchmarks; subfolders hold their modules. */
const folder = readdirSync(new URL('bench/', root), { recursive: true })
  .map(file => file.replaceAll('\\', '/'))
  .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
if (name === '--check') {
  const lost = lostImports(compile())
  for (const line of lost) console.error(line)
  process.exit(lost.length === 0 ? 0 : 1)
}
if (name === undefined || !folder.includes(`${name}.ts`)) {
  console.error(`Name a benchmark: ${names.slice(0, -1).join(', ')} or ${names.at(-1)}.`)
  process.exit(2)
}
if (!existsSync(new URL('dist/app/index.js', root))) {
  console.error('There is no build to measure: run `npm run build` first.')
  process.exit(2)
}

for (const [file, code] of compile()) {
  mkdirSync(new URL('.', new URL(file, out)), { recursive: true })
  writeFileSync(new URL(file, out), code)
}

const entry = fileURLToPath(new URL(`${name}.js`, out))
const { status, signal } = spawnSync(process.execPath, [entry, ...rest], {
  stdio: 'inherit',
  cwd: fileURLToPath(root),
})
process.exit(signal === null ? (status ?? 1) : 1)

/** File name in `bench-results` -> its code. */
function compile() {
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2023,
    verbatimModuleSyntax: true,
  }
  // Test support files, including those for real agents.
  const support = readdirSync(new URL('test/', root), { recursive: true })
    .map(file => file.replaceAll('\\', '/'))
    .filter(file => /^(agents\/(kits\/)?)?[^./]+\.ts$/.test(file))
  const sources = [...support.map(file => `test/${file}`), ...folder.map(file => `bench/${file}`)]
  return new Map(
    sources.map(file => {
      const source = readFileSync(new URL(file, root), 'utf8')
      const { outputText } = ts.transpileModule(source, { compilerOptions })
      const code = outputText
        .replaceAll(/'((?:\.\.\/)+)src\//g, "'$1dist/")
        // Of code only: a path to a fixture stays one.
        .replaceAll(/((?:from|import) )'\.\.\/((?:\.\.\/)*)test\//g, "$1'./$2")
      return [file.replace(/^(test|bench)\//, '').replace(/ts$/, 'js'), code]
    }),
  )
}

/** Checks the benchmarks and their transitive imports; unused support files are skipped. */
function lostImports(compiled) {
  const lost = []
  const files = new Set(folder.map(file => file.replace(/ts$/, 'js')))
  // Iterating a Set also visits entries that are added during the iteration.
  for (const file of files) {
    for (const { fileName: imported } of ts.preProcessFile(compiled.get(file)).importedFiles) {
      if (!imported.startsWith('.')) continue
      const path = posix.join(posix.dirname(file), imported)
      // Files in `dist` are checked by their source, so that this needs no build and ignores stale ones.
      const source = path.replace('../dist/', 'src/').replace(/\.js$/, '.ts')
      if (compiled.has(path)) files.add(path)
      else if (!path.startsWith('../dist/') || !existsSync(new URL(source, root)))
        lost.push(`bench-results/${file} would import ${imported}, which is not there.`)
    }
  }
  return lost
}
