import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { quantile } from './figures.js'
import { markdownTable, writeMeasured } from './measured-page.js'
import { count, met, saveResult, table } from './table.js'

/**
 * Packs the build, installs the tarball into an empty folder and starts the installed command: `weight
 * [--runs 15] [--write]`. `--write` writes its section of docs/measured.md.
 */

const { values: given } = parseArgs({
  options: { runs: { type: 'string', default: '15' }, write: { type: 'boolean', default: false } },
})
const runs = Number(given.runs)
if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs takes a whole number ≥ 1.')

const run = promisify(execFile)
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const repository = fileURLToPath(new URL('..', import.meta.url))
const megabyte = 1e6

const folder = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-weight-')))
try {
  await measure()
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function measure(): Promise<void> {
  await run(npm, ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: repository })
  const [tarball] = await readdir(folder)
  if (tarball === undefined) throw new Error('npm pack wrote nothing.')
  const packed = (await stat(join(folder, tarball))).size
  await writeFile(join(folder, 'package.json'), '{"private": true}\n')
  await run(npm, ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`], { cwd: folder })

  const modules = join(folder, 'node_modules')
  const packages = await packagesIn(modules)
  const installed = packages.reduce((sum, { bytes }) => sum + bytes, 0)
  const own = await files(join(modules, 'skillopt'))
  const maps = own.filter(({ path }) => path.endsWith('.map')).length

  const cli = join(modules, 'skillopt', 'dist', 'cli', 'main.js')
  const times = startTimes({ bare: ['-e', '0'], version: [cli, '--version'], help: [cli, '--help'] })
  const ratioOf = (name: 'version' | 'help') => times[name] / times.bare

  const rows = [
    figure('tarball', packed / megabyte, { unit: 'MB', below: 2 }),
    figure('source maps in the tarball', maps, { unit: 'files', below: 1, digits: 0 }),
    figure('installed', installed / megabyte, { unit: 'MB', below: 60 }),
    ['packages installed', count(packages.length), '', ''],
    ['bare `node -e 0`', `${times.bare.toFixed(0)} ms`, '', ''],
    ['`skillopt --version`', `${times.version.toFixed(0)} ms`, '', ''],
    figure('`skillopt --version` ÷ bare', ratioOf('version'), { unit: '×', atMost: 1.5, digits: 2 }),
    ['`skillopt --help`', `${times.help.toFixed(0)} ms`, '', ''],
    figure('`skillopt --help` ÷ bare', ratioOf('help'), { unit: '×', atMost: 3, digits: 2 }),
  ]
  const head = ['what', 'measured', 'target', '']
  console.log(table(head, rows))
  const heaviest = packages.toSorted((one, other) => other.bytes - one.bytes).slice(0, 12)
  console.log(
    `\nHeaviest packages:\n${table(
      ['package', 'MB'],
      heaviest.map(({ name, bytes }) => [name, (bytes / megabyte).toFixed(2)]),
    )}`,
  )
  saveResult('weight', { packed, installed, packages, maps, times, runs })
  if (given.write) await writeMeasured('weight', section(head, rows))
  if (rows.some(row => row[3] === met(false))) process.exitCode = 1
}

interface Limit {
  readonly unit: string
  readonly below?: number
  readonly atMost?: number
  readonly digits?: number
}

function figure(what: string, value: number, { unit, below, atMost, digits = 1 }: Limit): string[] {
  const isMet = value < (below ?? Infinity) && value <= (atMost ?? Infinity)
  const target = below === undefined ? `≤ ${atMost} ${unit}` : `< ${below} ${unit}`
  return [what, `${value.toFixed(digits)} ${unit}`, target, met(isMet)]
}

function section(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return `
${markdownTable(head, rows)}

\`npm run bench:weight -- --write\`: the packed tarball, installed by npm into an empty folder, without optional peers.
Sizes are space on disk, as \`du\` counts. Times are medians of ${runs} starts, the three commands in turn.`
}

/** Medians in milliseconds. The commands take turns, so that a change of the load affects all of them. */
function startTimes<Name extends string>(commands: Record<Name, readonly string[]>): Record<Name, number> {
  const names = Object.keys(commands) as Name[]
  const taken = Object.fromEntries(names.map(name => [name, []])) as unknown as Record<Name, number[]>
  for (let turn = 0; turn <= runs; turn++) {
    for (const name of names) {
      const began = performance.now()
      const { status } = spawnSync(process.execPath, commands[name], { cwd: folder, stdio: 'ignore' })
      if (status !== 0) throw new Error(`${commands[name].join(' ')} failed.`)
      // The first turn fills the file cache of the system.
      if (turn > 0) taken[name].push(performance.now() - began)
    }
  }
  return Object.fromEntries(names.map(name => [name, quantile(taken[name], 0.5)])) as Record<Name, number>
}

interface File {
  readonly path: string
  readonly bytes: number
}

async function files(directory: string): Promise<File[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  return Promise.all(paths.map(async path => ({ path, bytes: await bytesOnDisk(path) })))
}

/** Whole blocks, as `du` counts: thousands of small files take more space than their contents. */
async function bytesOnDisk(path: string): Promise<number> {
  const { blocks, size } = await stat(path)
  return Math.max(blocks * 512, size)
}

/** Sizes by package; a nested copy counts as a package of its own. */
async function packagesIn(modules: string): Promise<{ name: string; bytes: number }[]> {
  const sizes = new Map<string, number>()
  for (const { path, bytes } of await files(modules)) {
    const relative = path.slice(modules.length + 1).replaceAll('\\', '/')
    const name = /^(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+(?=\/)/.exec(relative)?.[0]
    if (name !== undefined && !name.startsWith('.')) sizes.set(name, (sizes.get(name) ?? 0) + bytes)
  }
  return [...sizes].map(([name, bytes]) => ({ name, bytes }))
}
