import { relative } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { markdownTable, writeMeasured } from './measured-page.js'
import { count, met, saveResult, table } from './table.js'

/**
 * Mutation testing: changes the code in one place at a time and checks that a test fails: `mutation [files]
 * [--write]`. Defaults to all of core, gates and stages. `--write` writes its section of docs/measured.md.
 */

const target = 0.8

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

interface Score {
  readonly name: string
  readonly mutants: number
  readonly killed: number
  readonly timedOut: number
  readonly survived: number
  readonly uncovered: number
  /** Mutants excluded on purpose (see the page), which do not count. */
  readonly ignored: number
  readonly ratio: number
}

const named = process.argv.slice(2).filter(argument => argument !== '--write')
const isWriting = process.argv.includes('--write')
if (isWriting && named.length > 0) {
  console.error('The page holds the figures of all files: --write goes without names of files.')
  process.exit(2)
}

/**
 * Gates and the code that simulates them are tested by simulations that take seconds each. Other mutants
 * need not wait for those, so there are three runs, each with its own tests.
 */
const gates = ['src/trainer/gates/*.ts']
const players = ['gate-power', 'noise-model', 'repeats'].map(name => `src/core/statistics/${name}.ts`)
const testsOf = (files: readonly string[]) => files.map(file => file.replace(/ts$/, 'test.ts'))
const runs = [
  {
    name: 'gates',
    mutate: gates,
    tests: { include: [...testsOf(gates), 'test/conformance/gate.test.ts'] },
    has: (file: string) => file.startsWith('src/trainer/gates/'),
  },
  {
    name: 'gate-check',
    mutate: players,
    tests: { include: testsOf(players) },
    has: (file: string) => players.includes(file),
  },
  {
    name: 'rest',
    mutate: ['src/{core,trainer/stages}/**/*.ts', ...players.map(file => `!${file}`)],
    tests: { include: ['src/{core,trainer/stages}/**/*.test.ts'], exclude: testsOf(players) },
    has: (file: string) => !file.startsWith('src/trainer/gates/') && !players.includes(file),
  },
]

const began = performance.now()
const mutants: Mutant[] = []
for (const { name, mutate, tests, has } of runs) {
  const wanted = named.filter(has)
  if (named.length > 0 && wanted.length === 0) continue
  // Read by bench/mutation/vitest.config.mjs, in the processes that Stryker starts.
  process.env.MUTATION_TESTS = JSON.stringify(tests)
  const stryker = new Stryker({
    configFile: 'bench/mutation/stryker.config.mjs',
    mutate: named.length > 0 ? wanted : [...mutate, '!src/**/*.test.ts'],
    htmlReporter: { fileName: `bench-results/mutation-${name}.html` },
  })
  mutants.push(...(await stryker.runMutationTest()))
}
const minutes = (performance.now() - began) / 60_000
if (mutants.length === 0) {
  console.error(
    `There is nothing to change in ${named.join(', ')}: name files of src, from the root of the repository.`,
  )
  process.exit(2)
}

const pathOf = (mutant: Mutant) => relative(process.cwd(), mutant.fileName).replaceAll('\\', '/')
/** `src/core`, `src/trainer/gates` and `src/trainer/stages`. */
const folderOf = (mutant: Mutant) => /^src\/(trainer\/)?[^/]+/.exec(pathOf(mutant))?.[0] ?? pathOf(mutant)

function score(name: string, of: readonly Mutant[]): Score {
  const counted = (...statuses: readonly Mutant['status'][]) =>
    of.filter(({ status }) => statuses.includes(status)).length
  const ignored = counted('Ignored', 'CompileError')
  const [killed, timedOut] = [counted('Killed'), counted('Timeout')]
  const all = of.length - ignored
  return {
    name,
    mutants: all,
    killed,
    timedOut,
    survived: counted('Survived', 'RuntimeError', 'Pending'),
    uncovered: counted('NoCoverage'),
    ignored,
    ratio: all === 0 ? 1 : (killed + timedOut) / all,
  }
}

function scoresBy(key: (mutant: Mutant) => string): Score[] {
  const names = [...new Set(mutants.map(key))].sort()
  return names.map(name =>
    score(
      name,
      mutants.filter(mutant => key(mutant) === name),
    ),
  )
}

const files = scoresBy(pathOf)
const folders = scoresBy(folderOf)
const total = score('all', mutants)
const head = ['', 'mutants', 'killed', 'timed out', 'survived', 'without a test', 'left out', 'ratio']
const cells = [...files, ...folders, total].map(row => [
  row.name,
  count(row.mutants),
  count(row.killed),
  count(row.timedOut),
  count(row.survived),
  count(row.uncovered),
  count(row.ignored),
  `${(100 * row.ratio).toFixed(1)}%`,
])
const isMet = folders.every(({ ratio }) => ratio >= target)

console.log(`\n${table(head, cells)}`)
console.log(`\nAt least ${100 * target}% of the mutants of each folder are noticed: ${met(isMet)}`)
console.log(
  `It took ${minutes.toFixed(1)} min. Each mutant with the tests that ran it: bench-results/mutation-*.html`,
)
saveResult('mutation', { target, minutes, folders, files, total, survivors: survivorsOf(mutants) })

if (isWriting) {
  const shown = cells.slice(files.length).map(row => [row[0] ?? '', row[1] ?? '', row.at(-1) ?? ''])
  await writeMeasured('mutation', markdownTable(['folder', 'mutants', 'noticed'], shown))
}
if (!isMet) process.exitCode = 1

/** Surviving mutants, which show where a test is missing. */
function survivorsOf(all: readonly Mutant[]) {
  return all
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map(mutant => ({
      at: `${pathOf(mutant)}:${mutant.location.start.line}:${mutant.location.start.column}`,
      change: mutant.mutatorName,
      to: mutant.replacement,
      status: mutant.status,
    }))
}
