import { createHash } from 'node:crypto'
import { access, open, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { InputError, messageOf } from '../../core/errors/errors.js'
import { userHome } from '../../system/home.js'
import type { Environment, ModelFactoryContext } from '../wire/definition.js'
import { type KnownModel, localModel, localModels } from './known.js'

const folderVariable = 'SKILLOPT_LOCAL_WEIGHTS'

/** The folder for downloaded weights, in the user's cache folder. */
export function weightsFolder(env: Environment, platform: NodeJS.Platform = process.platform): string {
  const chosen = given(env[folderVariable])
  if (chosen !== undefined) return resolve(chosen)
  const home = userHome(env)
  const cache =
    given(env.XDG_CACHE_HOME) ??
    {
      darwin: join(home, 'Library', 'Caches'),
      win32: given(env.LOCALAPPDATA) ?? join(home, 'AppData', 'Local'),
    }[platform as string] ??
    join(home, '.cache')
  return join(cache, 'skillopt', 'models')
}

const given = (value: string | undefined) => (value === undefined || value === '' ? undefined : value)

/** The path of downloaded weights. It contains the checksum, so a new release is another file. */
export function weightsFile({ name, sha256 }: KnownModel, env: Environment): string {
  return join(weightsFolder(env), `${name}-${sha256.slice(0, 12)}.gguf`)
}

export async function isFetched(model: KnownModel, env: Environment): Promise<boolean> {
  return stat(weightsFile(model, env)).then(
    ({ size }) => size === model.bytes,
    () => false,
  )
}

export interface Weights {
  readonly file: string
  /** A hash of the content; every cache key includes it. */
  readonly fingerprint: string
}

/** Finds the weights of `local/NAME`, where NAME is a known model or the path of a GGUF file. */
export async function findWeights(name: string, { env, from }: ModelFactoryContext): Promise<Weights> {
  const known = localModel(name)
  if (known !== undefined) {
    const file = weightsFile(known, env)
    if (await isFetched(known, env)) return { file, fingerprint: known.sha256 }
    throw new InputError(`The weights of local/${name} are not on this machine.`, {
      hint: `Fetch them with: skillopt models fetch ${name} (${megabytes(known.bytes)}, ${known.licence})`,
    })
  }
  const file = resolve(from?.config ?? '.', name)
  const isThere = await access(file).then(
    () => true,
    () => false,
  )
  if (!isThere) {
    throw new InputError(`No weights at ${file}.`, {
      hint: `Write local/PATH with the path of a GGUF file, or one of: ${localModels.map(model => `local/${model.name}`).join(', ')}.`,
    })
  }
  return { file, fingerprint: await fingerprintOf(file) }
}

export const megabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString('en-US')} MB`

const sampleBytes = 1 << 20
const samples = 16

/**
 * Hashes a file's size, its beginning (metadata and vocabulary), its end, and samples in between. Hashing all
 * of a file of several gigabytes would delay every start.
 */
async function fingerprintOf(path: string): Promise<string> {
  const file = await open(path).catch(error => {
    throw new InputError(`Cannot read the weights ${path}: ${messageOf(error)}`)
  })
  try {
    const { size } = await file.stat()
    const hash = createHash('sha256').update(String(size))
    const buffer = Buffer.alloc(sampleBytes)
    for (let index = 0; index <= samples; index++) {
      const position = Math.floor((Math.max(0, size - sampleBytes) * index) / samples)
      const { bytesRead } = await file.read(buffer, 0, sampleBytes, position)
      hash.update(buffer.subarray(0, bytesRead))
    }
    const magic = Buffer.alloc(4)
    await file.read(magic, 0, 4, 0)
    if (magic.toString('latin1') !== 'GGUF') {
      throw new InputError(`${path} is not a GGUF file.`, { hint: 'Name a file of weights in that format.' })
    }
    return `sampled-${hash.digest('hex')}`
  } finally {
    await file.close()
  }
}
