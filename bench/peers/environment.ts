import { access, mkdir, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../../src/system/run-program.js'

/** The peers from PyPI, each in its own virtual environment, which the benchmark creates and keeps. */

export const packages = { skillopt: '0.2.0', gepa: '0.1.4' } as const
export type PeerPackage = keyof typeof packages

export type PeerEnvironment =
  | { readonly python: string; readonly problem?: undefined }
  /** Why the package could not be installed, for the result table. */
  | { readonly python?: undefined; readonly problem: string }

const installSeconds = 600

/**
 * Variables that Python and pip need. Keys and proxies are excluded: peers talk only to the loopback server.
 */
const passedVariables = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TEMP',
  'LANG',
  'SystemRoot',
  'LOCALAPPDATA',
  'USERPROFILE',
]
const installVariables = [
  'PIP_INDEX_URL',
  'PIP_EXTRA_INDEX_URL',
  'PIP_CERT',
  'PIP_CONFIG_FILE',
  'SSL_CERT_FILE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'http_proxy',
  'https_proxy',
]

type Variables = Readonly<Record<string, string | undefined>>

export function peerVariables(): Record<string, string> {
  return {
    ...pick(process.env, passedVariables),
    NO_PROXY: '*',
    PYTHONUNBUFFERED: '1',
    PYTHONDONTWRITEBYTECODE: '1',
  }
}

export interface EnvironmentOptions {
  readonly names?: readonly PeerPackage[]
  /** Defaults to `skillopt-peers` in the user's cache folder. */
  readonly cache?: string
  readonly env?: Variables
}

/** Installs missing packages. A package that cannot be installed is reported and does not stop the others. */
export async function makeEnvironment(
  options: EnvironmentOptions = {},
): Promise<Partial<Record<PeerPackage, PeerEnvironment>>> {
  const { names = Object.keys(packages) as PeerPackage[], env = process.env } = options
  const cache = options.cache ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'skillopt-peers')
  const environments: Partial<Record<PeerPackage, PeerEnvironment>> = {}
  for (const name of names) environments[name] = await install(name, cache, env)
  return environments
}

async function install(name: PeerPackage, cache: string, variables: Variables): Promise<PeerEnvironment> {
  const version = packages[name]
  const folder = join(cache, `${name}-${version}`)
  const python = join(
    folder,
    ...(process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']),
  )
  // Written last: if it is missing, the installation was interrupted and is repeated.
  const marker = join(folder, 'installed')
  if (await exists(marker)) return { python }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  await mkdir(cache, { recursive: true })
  console.error(`Installing ${name} ${version} from PyPI into ${folder}`)
  const env = pick(variables, [...passedVariables, ...installVariables])
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `${name}==${version}`]
  const systemPython = process.platform === 'win32' ? 'python' : 'python3'
  for (const command of [
    [systemPython, '-m', 'venv', folder],
    [python, ...pip],
  ] as const) {
    const end = await runProgram(command, { env, seconds: installSeconds })
    if (end === undefined)
      return { problem: `${name} ${version} is not installed: there is no ${command[0]}` }
    if (end.code !== 0) {
      return {
        problem: `${name} ${version} is not installed: ${lastLine(end.stderr || end.stdout.toString())}`,
      }
    }
  }
  await writeFile(marker, `${version}\n`)
  return { python }
}

function pick(variables: Variables, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap(name => {
      const value = variables[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** The last line of a program's output usually states why it failed. */
export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() || 'it said nothing'
}
