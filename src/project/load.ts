import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { isReferenceYaml } from '../compat/config/layers.js'
import { loadReference } from '../compat/config/yaml.js'
import { type Config, type ConfigInput, configSchema } from '../core/config/config.js'
import { problemsOf, refuse } from '../core/config/config-problems.js'
import { presetNames, presets } from '../core/config/presets.js'
import { configNode, nodeAt } from '../core/config/schema-nodes.js'
import { secretProblems } from '../core/config/secret-keys.js'
import {
  assign,
  type ConfigTree,
  dotted,
  isSection,
  leafPaths,
  originOf,
  valueAt,
} from '../core/config/tree.js'
import { assignVariables, scalar, splitOption, typed, type Variables } from '../core/config/variables.js'
import { InputError } from '../core/errors/errors.js'
import { type Document, readDocument, reasonOf } from '../system/documents.js'
import { skilloptHome } from '../system/home.js'
import { accountWarnings, withDotEnv } from './dot-env.js'
import { hostWarnings } from './hosts.js'
import { isPath } from './modules.js'
import { stepsOnlyProblems } from './steps-only.js'
import { requireTrust, type Trust } from './trust.js'

export interface LoadOptions {
  /** A project folder, or a config file in it. */
  readonly project?: string | undefined
  /** A config file, ours or that of the Python reference. Programs can pass the config object itself. */
  readonly config?: string | ConfigInput | undefined
  /** Values by dotted path, from flags. */
  readonly flags?: Readonly<Record<string, unknown>> | undefined
  /** Settings in the form `section.key=value`, with the key names of the config file. */
  readonly cfgOptions?: readonly string[] | undefined
  /** Values by dotted path, for options that nothing else sets. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined
  readonly env: Variables
  /** Relative paths on the command line are resolved against this folder. */
  readonly cwd?: string | undefined
  /**
   * Decides if a config file is trusted that names code, a host that gets keys, or files outside its folder.
   * `true` trusts the file for this call. A function is asked unless the user has trusted the file before.
   * Without either, an untrusted file is refused.
   */
  readonly trust?: Trust | undefined
}

/** Sleep's settings decide what is adopted, so more of them require trust than those of a training. */
export interface ScopedLoadOptions extends LoadOptions {
  readonly forSleep?: boolean
}

export interface LoadedProject {
  readonly name: string
  /** Relative paths in the config are resolved against this folder. */
  readonly baseDir: string
  /** Folder in which the program was started. Runs are stored below it. */
  readonly cwd: string
  /** The config file. */
  readonly file: string
  readonly config: Config
  /** The origin of every value, by dotted path. */
  readonly sources: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
  /** Says for each key of a reference YAML how it was mapped, for display. Empty for our own configs. */
  readonly mapped: readonly string[]
  /** The shell's variables and the keys from `.env` files. It holds secrets, so it must never be logged. */
  readonly env: Variables
  /** Output folder that a reference YAML sets for the run. */
  readonly out?: string
  /** Maps our dotted paths to the keys of the reference YAML from which they came. */
  readonly labels?: ReadonlyMap<string, string>
  /** Number of train tasks according to a reference YAML. It is checked against the data. */
  readonly expectedTrainSize?: number
}

/** Accepted names of a project's config file. */
export const configFiles: readonly string[] = ['skillopt.yaml', 'skillopt.yml', 'skillopt.json']

/**
 * Flags whose value is a path. It was typed in a shell, so it is relative to the working directory rather
 * than to the config.
 */
const pathFlags = new Set(['skill', 'prompts', 'cache', 'telemetry.logFile'])

/** Flags that take the name of a built-in part or the path of a user's file. */
const nameOrPathFlags = new Set(['environment.use', 'evaluation.gate', 'sleep.embedder'])

const isPathFlag = (key: string, value: string): boolean =>
  pathFlags.has(key) || (nameOrPathFlags.has(key) && isPath(value))

/**
 * Loads a project from disk and returns a checked config that the user trusts. A flag takes precedence over
 * the environment, followed by the file, the preset and the default. Until this returns, no code that the
 * config names has run, and nothing has been sent to hosts that it names.
 */
export async function loadProject(options: ScopedLoadOptions): Promise<LoadedProject> {
  const cwd = options.cwd ?? process.cwd()
  const { file, shownAs, document } = await readSource(options, cwd)
  const baseDir = dirname(file)
  const folders = [baseDir, cwd]
  const tree: ConfigTree = { data: {}, origins: new Map() }

  const reference = isReferenceYaml(document.data)
    ? await loadReference({
        file,
        shownAs,
        cwd,
        cfgOptions: options.cfgOptions ?? [],
        env: (await withDotEnv(options.env, folders)).env,
      })
    : undefined
  if (reference === undefined) assignDocument(tree, document, basename(file))
  else for (const { path, value, origin } of reference.fromFile) assign(tree, path, { value, origin })

  const warnings = assignVariables(tree, options.env)

  if (reference === undefined) assignCfgOptions(tree, options.cfgOptions ?? [])
  else for (const { path, value, origin } of reference.fromOptions) assign(tree, path, { value, origin })
  assignFlags(tree, options.flags ?? {}, cwd)
  // Users of a reference file expect the reference's protocol for everything that the file does not set.
  if (reference !== undefined && tree.data.preset === undefined)
    assign(tree, ['preset'], { value: 'reference', origin: 'the reference’s file' })
  assignPreset(tree)
  // The reference only has the loop `steps`, whatever the preset says.
  if (reference !== undefined) assignDefaults(tree, { 'train.loop': 'steps' })
  assignDefaults(tree, options.defaults ?? {})

  const config = validate(tree, shownAs, reference?.labels)
  const unread = stepsOnlyProblems(config, tree)
  if (unread.length > 0) refuse(shownAs, unread)
  const keys = await withDotEnv(options.env, folders, keyNames(config))
  const { env } = keys
  const loaded: LoadedProject = {
    name: config.name ?? basename(baseDir).replace(/[^\w.-]+/g, '-'),
    baseDir,
    cwd,
    file,
    config,
    sources: sourcesOf(config, tree),
    warnings: [
      ...keys.warnings,
      ...(options.forSleep === true ? accountWarnings(keys, skilloptHome({ env: options.env, cwd })) : []),
      ...warnings,
      ...(reference?.warnings ?? []),
      ...(await hostWarnings({ config, env })),
    ],
    mapped: reference?.mapped ?? [],
    env,
    labels: reference?.labels,
    out: reference?.out,
    expectedTrainSize: reference?.expectedTrainSize,
  }
  // A program that passes a config object wrote it itself, so the object needs no trust.
  if (typeof options.config !== 'object') {
    const forTrust = { ...loaded, sources: { ...loaded.sources, ...reference?.outOrigin } }
    await requireTrust(forTrust, options.trust, { forSleep: options.forSleep ?? false })
  }
  return loaded
}

/** Returns the variables that the config names for keys. */
function keyNames({ models }: Config): string[] {
  return Object.values(models).flatMap(model =>
    typeof model === 'object' && model.apiKeyEnv !== undefined ? [model.apiKeyEnv] : [],
  )
}

/** Reads the config. A config object is treated like a file in the working directory. */
async function readSource(options: LoadOptions, cwd: string) {
  const { project, config } = options
  if (typeof config === 'object') {
    const file = join(resolve(cwd, project ?? '.'), 'config')
    const document: Document = { data: { ...config }, lines: new Map() }
    return { file, shownAs: 'the given config', document }
  }
  const file = await findConfig(project, config, cwd)
  const shownAs = relative(cwd, file).startsWith('..') ? file : relative(cwd, file)
  return { file, shownAs, document: await readDocument(file, shownAs) }
}

async function findConfig(
  project: string | undefined,
  config: string | undefined,
  cwd: string,
): Promise<string> {
  if (project !== undefined && config !== undefined) {
    throw new InputError(`A project (${project}) and a config file (${config}) cannot be combined.`, {
      hint: 'Pass one of them. A project is a folder with a skillopt.yaml.',
    })
  }
  const named = config ?? project ?? '.'
  const path = resolve(cwd, named)
  let isFolder: boolean
  try {
    isFolder = (await stat(path)).isDirectory()
  } catch (error) {
    throw new InputError(
      `${config === undefined ? 'The project' : 'The config file'} ${named} cannot be read: ${reasonOf(error)}.`,
      {
        hint: 'A project is a folder with a skillopt.yaml; pass a config file with `--config`.',
        cause: error,
      },
    )
  }
  if (!isFolder) return path
  const found = (await readdir(path)).filter(name => configFiles.includes(name))
  const [first, second] = found
  if (first === undefined) {
    throw new InputError(`The folder ${named} has no skillopt.yaml.`, {
      hint: 'Create one with `skillopt init`, or pass a folder that has one, or a config file with `--config`.',
    })
  }
  if (second !== undefined) {
    throw new InputError(`The folder ${named} has both ${first} and ${second}.`, {
      hint: 'Keep one of them.',
    })
  }
  return join(path, first)
}

function assignDocument(tree: ConfigTree, { data, lines }: Document, fileName: string): void {
  for (const [key, value] of Object.entries(data)) {
    tree.data[key] = structuredClone(value)
    for (const leaf of leafPaths(value, [key])) {
      const line = lineOf(leaf, lines)
      tree.origins.set(dotted(leaf), line === undefined ? fileName : `file ${fileName}:${line}`)
    }
  }
}

/** Returns the line of a key. Keys from a YAML merge have none, so the nearest ancestor's line is used. */
function lineOf(path: readonly string[], lines: ReadonlyMap<string, number>): number | undefined {
  if (lines.size === 0) return undefined
  for (let length = path.length; length > 0; length -= 1) {
    const line = lines.get(dotted(path.slice(0, length)))
    if (line !== undefined) return line
  }
  return 1
}

function assignCfgOptions(tree: ConfigTree, cfgOptions: readonly string[]): void {
  for (const option of cfgOptions) {
    const { key, text } = splitOption(option)
    if (key.startsWith('--')) {
      throw new InputError(`${key} is a Python SkillOpt flag and works only with its configs.`, {
        hint: 'Use --set here, such as --set train.epochs=2, or pass a Python SkillOpt YAML with --config.',
      })
    }
    const path = key.split('.')
    const node = nodeAt(configNode, path)
    assign(tree, path, {
      value: node === undefined ? scalar(text) : typed(text, node),
      origin: `flag --cfg-options ${key}`,
    })
  }
}

function assignFlags(tree: ConfigTree, flags: Readonly<Record<string, unknown>>, cwd: string): void {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined)
  // Parents are assigned before their children, because `--target` sets the model to which
  // `--target-temperature` adds.
  given.sort(([left], [right]) => left.split('.').length - right.split('.').length)
  for (const [key, raw] of given) {
    const path = key.split('.')
    const value = typeof raw === 'string' ? typed(raw, nodeAt(configNode, path)) : raw
    const fromShell =
      typeof value === 'string' && value !== '' && isPathFlag(key, value) && !isAbsolute(value)
    assign(tree, path, { value: fromShell ? resolve(cwd, value) : value, origin: `flag ${flagOf(path)}` })
  }
}

/** Fills in the preset's unset options. It runs last, because any source may name the preset. */
function assignPreset(tree: ConfigTree): void {
  const name = presetNames.find(known => known === tree.data.preset)
  // Without a preset nothing is filled in. An unknown one is refused when the whole config is validated.
  if (name === undefined) return
  for (const path of leafPaths(presets[name])) {
    if (isOpen(tree.data, path))
      assign(tree, path, { value: valueAt(presets[name], path), origin: `preset ${name}` })
  }
}

function assignDefaults(tree: ConfigTree, defaults: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(defaults)) {
    const path = key.split('.')
    if (isOpen(tree.data, path)) assign(tree, path, { value, origin: 'default' })
  }
}

/**
 * True if the path is unset and may be filled in. If an ancestor holds a value that is not a section, filling
 * in would hide that mistake.
 */
function isOpen(data: unknown, path: readonly string[]): boolean {
  const values = path.map((_key, depth) => valueAt(data, path.slice(0, depth + 1)))
  return values.at(-1) === undefined && values.every(value => value === undefined || isSection(value))
}

/** Returns the flag for an option. Caps and the preset have their own flags; all others use `--set`. */
function flagOf(path: readonly string[]): string {
  const [section, name = ''] = path
  if (section === 'preset') return '--preset'
  if (section === 'limits' && nodeAt(configNode, path) !== undefined)
    return `--${name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()}`
  return `--set ${dotted(path)}`
}

function validate(tree: ConfigTree, shownAs: string, labels?: ReadonlyMap<string, string>): Config {
  const where = (path: readonly string[]): string => {
    const origin = originOf(tree, path)
    return origin === undefined ? '' : ` (${origin.replace(/^file /, '')})`
  }
  const secrets = secretProblems(tree.data, where)
  if (secrets.length > 0) refuse(shownAs, secrets)
  const result = configSchema.safeParse(tree.data)
  if (result.success) return result.data
  const label = (path: string): string | undefined => labels?.get(path)
  return refuse(shownAs, problemsOf(result.error.issues, { tree, schema: configNode, label }))
}

function sourcesOf(config: Config, tree: ConfigTree): Record<string, string> {
  const paths = leafPaths(config).map(dotted)
  return Object.fromEntries(paths.map(path => [path, tree.origins.get(path) ?? 'default']))
}
