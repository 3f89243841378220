/**
 * Installs the engine of local weights for tests, from the npm registry, into a user cache:
 *
 * node scripts/install-local-engine.mjs           # installs it, unless it is there
 * node scripts/install-local-engine.mjs --link    # and links it into node_modules
 *
 * It is not a development dependency, because npm would then also install its binaries for graphics cards
 * (600 MB). Here only those of this platform's processor are installed.
 */
import { spawn } from 'node:child_process'
import { access, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const name = 'node-llama-cpp'
const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
const version = manifest.peerDependencies[name].replace(/^\D+/, '')
const { env, platform, arch } = process
const cache =
  env.SKILLOPT_AGENTS_CACHE ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'skillopt-agents')
const folder = join(cache, `${name}-${version}`)

const binaries = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'mac-x64',
  'darwin-arm64': 'mac-arm64-metal',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
}[`${platform}-${arch}`]

if (binaries === undefined) {
  process.stderr.write(`${name} has no binaries for ${platform}-${arch}.\n`)
  process.exit(1)
}

if (!(await isThere(folder))) await install()
if (process.argv.includes('--link')) await link()
process.stdout.write(`${join(folder, 'node_modules', name)}\n`)

/** Installs into a folder aside and renames it, so that a concurrent run never sees a partial one. */
async function install() {
  await mkdir(cache, { recursive: true })
  const aside = await mkdtemp(join(cache, '.installing-'))
  try {
    await writeFile(join(aside, 'package.json'), JSON.stringify({ private: true }))
    const quiet = ['--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts']
    const packages = [`${name}@${version}`, `@node-llama-cpp/${binaries}@${version}`]
    await npm(['install', '--prefix', aside, '--omit=optional', '--omit=peer', ...quiet, ...packages], aside)
    await rename(aside, folder)
  } catch (error) {
    // A concurrent installation finished first; its result is equivalent.
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

/** Node resolves the link, so the engine finds its own packages in the cache. */
async function link() {
  const place = fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url))
  await rm(place, { recursive: true, force: true })
  await symlink(join(folder, 'node_modules', name), place, platform === 'win32' ? 'junction' : 'dir')
}

function npm(args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, {
      cwd,
      stdio: ['ignore', 'inherit', 'inherit'],
      shell: platform === 'win32',
    })
    child.once('error', reject)
    child.once('close', code =>
      code === 0 ? resolve() : reject(new Error(`${name} could not be installed: npm ended with ${code}`)),
    )
  })
}

async function isThere(path) {
  return access(path).then(
    () => true,
    () => false,
  )
}
