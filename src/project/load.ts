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
  /** A config file, ours or the Python reference's; or the config object itself, for programmatic use. */
  readonly config?: string | ConfigInput | undefined
  /** Dotted path -> value. */
  readonly flags?: Readonly<Record<string, unknown>> | undefined
  /** `section.key=value`, with the key names of the config file. */
  readonly cfgOptions?: readonly string[] | undefined
  /** Dotted path -> value, used where nothing else sets the option. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined
  readonly env: Variables
  /** Base folder of relative paths on the command line. */
  readonly cwd?: string | undefined
  /**
   * Applies to a config file that names code, a host that gets keys, or files outside its folder. `true`
   * trusts it for this call; a function is asked unless the user has trusted the file before. Without
   * either, such a file is refused.
   */
  readonly trust?: Trust | undefined
}

/** Sleep settings decide what is adopted, so more of them require trust. */
export interface ScopedLoadOptions extends LoadOptions {
  readonly forSleep?: boolean
}

export interface LoadedProject {
  readonly name: string
  /** Base folder of relative paths in the config. */
  readonly baseDir: string
  /** Folder that the program was started in; runs are stored below it. */
  readonly cwd: string
  /** The config file. */
  readonly file: string
  readonly config: Config
  /** Dotted path of every value -> its origin. */
  readonly sources: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
  /** How each key of a reference YAML was mapped, for display; empty for our own configs. */
  readonly mapped: readonly string[]
  /** The shell's variables with the keys of the `.env` files. Holds secrets: never log it. */
  readonly env: Variables
  /** Output folder that a reference YAML sets for the run. */
  readonly out?: string
  /** Our dotted path -> the reference YAML key it came from. */
  readonly labels?: ReadonlyMap<string, string>
  /** Number of train tasks stated in a reference YAML; checked against the data. */
  readonly expectedTrainSize?: number
}

/** Accepted names of a project's config file. */
export const configFiles: readonly string[] = ['skillopt.yaml', 'skillopt.yml', 'skillopt.json']

/**
 * Flags whose value is a path typed in a shell, and so relative to the working directory rather than the
 * config.
 */
const pathFlags = new Set(['skill', 'prompts', 'cache', 'telemetry.logFile'])

/** Flags that take either a built-in name or the path of a user's file. */
const nameOrPathFlags = new Set(['environment.use', 'evaluation.gate', 'sleep.embedder'])

const isPathFlag = (key: string, value: string): boolean =>
  pathFlags.has(key) || (nameOrPathFlags.has(key) && isPath(value))

/**
 * Loads a project from disk into a checked config that the user trusts. Precedence: flag > environment >
 * file > preset > default. Until this returns, no code that the config names has run and nothing has been
 * sent to its hosts.
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
  else for (const { path, value, origin } of reference.fromFile) assign(tree, path, value, origin)

  const warnings = assignVariables(tree, options.env)

  if (reference === undefined) assignCfgOptions(tree, options.cfgOptions ?? [])
  else for (const { path, value, origin } of reference.fromOptions) assign(tree, path, value, origin)
  assignFlags(tree, options.flags ?? {}, cwd)
  // Users of a reference file expect the reference's protocol wherever the file sets nothing.
  if (reference !== undefined && tree.data.preset === undefined)
    assign(tree, ['preset'], 'reference', 'the reference’s file')
  assignPreset(tree)
  // The reference has only this loop, whatever the preset.
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
  // A config object passed by a program is that program's own, so it needs no trust.
  if (typeof options.config !== 'object') {
    const forTrust = { ...loaded, sources: { ...loaded.sources, ...reference?.outOrigin } }
    await requireTrust(forTrust, options.trust, { forSleep: options.forSleep ?? false })
  }
  return loaded
}

/** Variables that the config names as key holders. */
function keyNames({ models }: Config): string[] {
  return Object.values(models).flatMap(model =>
    typeof model === 'object' && model.apiKeyEnv !== undefined ? [model.apiKeyEnv] : [],
  )
}

/** A config object is treated as a file in the working directory: relative paths start there. */
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

/** Line of the key, or of its nearest ancestor (keys from a YAML merge have no line). */
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
    assign(tree, path, node === undefined ? scalar(text) : typed(text, node), `flag --cfg-options ${key}`)
  }
}

function assignFlags(tree: ConfigTree, flags: Readonly<Record<string, unknown>>, cwd: string): void {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined)
  // Parents are assigned before children: `--target` names the model that `--target-temperature` adds to.
  given.sort(([left], [right]) => left.split('.').length - right.split('.').length)
  for (const [key, raw] of given) {
    const path = key.split('.')
    const value = typeof raw === 'string' ? typed(raw, nodeAt(configNode, path)) : raw
    const fromShell =
      typeof value === 'string' && value !== '' && isPathFlag(key, value) && !isAbsolute(value)
    assign(tree, path, fromShell ? resolve(cwd, value) : value, `flag ${flagOf(path)}`)
  }
}

/** Runs last, because any source may name the preset, and fills only options that no source has set. */
function assignPreset(tree: ConfigTree): void {
  const name = presetNames.find(known => known === tree.data.preset)
  // The preset is missing or unknown; validation of the whole config refuses an unknown one.
  if (name === undefined) return
  for (const path of leafPaths(presets[name])) {
    if (isOpen(tree.data, path)) assign(tree, path, valueAt(presets[name], path), `preset ${name}`)
  }
}

function assignDefaults(tree: ConfigTree, defaults: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(defaults)) {
    const path = key.split('.')
    if (isOpen(tree.data, path)) assign(tree, path, value, 'default')
  }
}

/**
 * True if the path is unset and no ancestor holds a non-section value, since filling in would hide that
 * mistake.
 */
function isOpen(data: unknown, path: readonly string[]): boolean {
  const values = path.map((_key, depth) => valueAt(data, path.slice(0, depth + 1)))
  return values.at(-1) === undefined && values.every(value => value === undefined || isSection(value))
}

/** The caps and the preset have their own flags; everything else is set with `--set`. */
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
