/**
 * Installs the agents that the tests run, from the npm registry, at the versions of
 * test/agents/programs/package.json:
 *
 * node scripts/install-agents.mjs [codex claude-code …]
 *
 * Installs all of them if none is named. They are kept in a user cache, since each is 50 to 400 MB:
 * SKILLOPT_AGENTS_CACHE, or `skillopt-agents` in the cache folder. Existing installations are reused. Prints
 * the path of each program.
 */
import { spawn } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

const known = JSON.parse(
  await readFile(new URL('../test/agents/programs/package.json', import.meta.url), 'utf8'),
)
const { env } = process
const cache =
  env.SKILLOPT_AGENTS_CACHE ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'skillopt-agents')

const say = text => process.stderr.write(`${text}\n`)

/** An error message for users; any other exception is a bug in this script. */
class Problem extends Error {}

async function main(names) {
  const unknown = names.find(name => known.agents[name] === undefined)
  if (unknown !== undefined) {
    throw new Problem(`There is no agent "${unknown}" here: ${Object.keys(known.agents).join(', ')}.`)
  }
  await mkdir(cache, { recursive: true })
  await removeLeftovers()
  for (const name of names.length > 0 ? names : Object.keys(known.agents)) {
    process.stdout.write(`${await installed(name)}\n`)
  }
}

/** Returns the path of the agent's program. */
async function installed(name) {
  const packageName = known.agents[name]
  const version = known.dependencies[packageName]
  const folder = join(cache, `${name}-${version}`)
  if (!(await isThere(folder))) {
    say(`${name} ${version}: installing ${packageName} into ${folder}`)
    await install(name, packageName, version, folder)
  }
  const { bin } = await manifestOf(folder, packageName)
  return join(folder, 'node_modules', '.bin', Object.keys(bin)[0])
}

const unfinished = '.installing-'

/**
 * Installs into a temporary folder and renames it when complete, so that concurrent installs never see a
 * partial one.
 */
async function install(name, packageName, version, folder) {
  const aside = await mkdtemp(join(cache, unfinished))
  try {
    await writeFile(join(aside, 'package.json'), JSON.stringify({ private: true }))
    const quiet = ['--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts']
    await run('npm', ['install', '--prefix', aside, ...quiet, `${packageName}@${version}`], aside, name)
    await finishByHand(aside, packageName, name)
    await tryOut(aside, packageName, version, name)
    await rename(aside, folder)
  } catch (error) {
    // A concurrent install finished first; its result is equivalent.
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

/**
 * If npm is configured to skip package scripts, a native program stays in its platform package. So npm runs
 * no scripts at all, and the agent's own postinstall script, which puts the program in place, is run
 * afterwards.
 */
async function finishByHand(folder, packageName, name) {
  const script = /^node (\S+)$/.exec((await manifestOf(folder, packageName)).scripts?.postinstall ?? '')?.[1]
  if (script === undefined) return
  await run(process.execPath, [script], join(folder, 'node_modules', packageName), name)
}

async function tryOut(folder, packageName, version, name) {
  const program = Object.keys((await manifestOf(folder, packageName)).bin)[0]
  const printed = await run(join(folder, 'node_modules', '.bin', program), ['--version'], folder, name)
  if (!printed.includes(version)) {
    throw new Problem(`${name} was installed, but says that it is "${printed.trim()}" and not ${version}.`)
  }
}

async function manifestOf(folder, packageName) {
  return JSON.parse(await readFile(join(folder, 'node_modules', packageName, 'package.json'), 'utf8'))
}

/** Returns the output. Some agents write settings on first start, so the folder is their home. */
function run(program, args, folder, name) {
  const variables = program === 'npm' ? env : { PATH: env.PATH, HOME: folder, TMPDIR: folder }
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: folder, env: variables, stdio: ['ignore', 'pipe', 'pipe'] })
    let [printed, complaints] = ['', '']
    child.stdout.setEncoding('utf8').on('data', chunk => {
      printed += chunk
    })
    child.stderr.setEncoding('utf8').on('data', chunk => {
      complaints += chunk
    })
    const fail = why =>
      reject(
        new Problem(
          `${name} could not be installed: ${why}. It takes the npm registry; on a machine without a network, set SKILLOPT_AGENTS_CACHE to a folder where this command has run.`,
        ),
      )
    child.once('error', error => fail(error.message))
    child.once('close', code => {
      if (code === 0) resolve(printed + complaints)
      else fail(`${program} ${args[0]} ended with ${code}: ${firstWords(complaints)}`)
    })
  })
}

/** npm's first error lines name the reason; its advice and the path of its log follow. */
function firstWords(complaints) {
  const lines = complaints.split('\n').filter(line => /\S/.test(line) && !/^npm warn/.test(line))
  return lines
    .slice(0, 4)
    .join(' ')
    .replace(/npm error /g, '')
    .slice(0, 400)
}

const hourMs = 3_600_000

/** Removes leftovers of killed installations; the folder of a running one is younger. */
async function removeLeftovers() {
  for (const name of (await readdir(cache)).filter(name => name.startsWith(unfinished))) {
    const folder = join(cache, name)
    const changed = await stat(folder).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    )
    if (Date.now() - changed > hourMs) await rm(folder, { recursive: true, force: true })
  }
}

async function isThere(path) {
  return access(path).then(
    () => true,
    () => false,
  )
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof Problem)) throw error
  say(error.message)
  process.exitCode = 1
}
