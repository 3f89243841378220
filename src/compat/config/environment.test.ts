import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { InputError } from '../../core/errors/errors.js'
import { loadProject } from '../../project/load.js'
import { options as alfworld } from '../../tasks/benchmarks/alfworld/index.js'
import { options as docvqa } from '../../tasks/benchmarks/docvqa/index.js'
import { options as livemath } from '../../tasks/benchmarks/livemath/index.js'
import { options as officeqa } from '../../tasks/benchmarks/officeqa/index.js'
import { options as searchqa } from '../../tasks/benchmarks/searchqa/index.js'
import { options as spreadsheetbench } from '../../tasks/benchmarks/spreadsheetbench/index.js'

/** The `env` section of each of the reference's six environments, as in its shipped configs. */

const ours: Readonly<Record<string, z.ZodType>> = {
  searchqa,
  docvqa,
  livemath,
  spreadsheetbench,
  officeqa,
  alfworld,
}

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-environments-'))
  await mkdir(join(folder, 'configs'))
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

async function load(section: string, env: Record<string, string> = {}, train = '') {
  const yaml = `model:
  backend: openai_compatible
  target: qwen
  optimizer: qwen
train:
  num_epochs: 1
${train}env:
  skill_init: initial.md
${section.replace(/^/gm, '  ')}
`
  await writeFile(join(folder, 'configs/run.yaml'), yaml)
  const loaded = await loadProject({ config: 'configs/run.yaml', env, cwd: folder })
  const { use, ...options } = loaded.config.environment
  // Every mapped key must be an option of our environment, with a valid value.
  expect(ours[use]?.safeParse(options)).toMatchObject({ success: true })
  return { ...loaded, use, options }
}

async function refusal(section: string, train = ''): Promise<string> {
  const error = await load(section, {}, train).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(InputError)
  return (error as InputError).message
}

const split = 'split_mode: split_dir\nsplit_dir: data/split\nlimit: 0\n'

describe('the environments of the reference', () => {
  it('searchqa', async () => {
    const { use, options, config } = await load(`name: searchqa\n${split}max_turns: 1\n`)
    expect({ use, options }).toEqual({ use: 'searchqa', options: { splitDir: '../data/split' } })
    expect(config.models.target).toMatchObject({ concurrency: 64 })
  })

  it('docvqa, whose images are found from where it is run', async () => {
    const { use, options, config } = await load(
      `name: docvqa\nsplit_dir: data/split\nimage_detail: high\nmax_turns: 1\nexec_timeout: 90\n`,
    )
    expect({ use, options }).toEqual({
      use: 'docvqa',
      options: { splitDir: '../data/split', detail: 'high', imageRoot: '..' },
    })
    expect(config.models.target).toMatchObject({ concurrency: 16, timeout: 90 })
  })

  it('livemathematicianbench, whose choices are ordered by the seed of the training', async () => {
    const section = `name: livemathematicianbench\n${split}shuffle_choices: true\nuse_theorem: false\nuse_sketch: false\n`
    const { use, options } = await load(section, {}, '  seed: 7\n')
    expect({ use, options }).toEqual({
      use: 'livemath',
      options: { splitDir: '../data/split', shuffleChoices: true, seed: 7 },
    })
    const ratio = 'name: livemathematicianbench\ndata_path: raw.json\n'
    expect((await load(ratio)).options).toMatchObject({ path: '../raw.json', seed: 42 })
    expect(await refusal(ratio, '  seed: 7\n')).toContain(
      'env.split_seed: 42 is not supported beside train.seed: 7',
    )
    expect(await refusal(section.replace('use_theorem: false', 'use_theorem: true'))).toContain(
      'env.use_theorem: true is not supported (run.yaml:14): theorem and sketch are shown to reflection only',
    )
  })

  it('spreadsheetbench, whose time is that of a whole task', async () => {
    const section = `name: spreadsheetbench\n${split}data_root: data/books\nmode: multi\nmax_turns: 20\nexec_timeout: 500\nworkers: 24\n`
    const { use, options, config } = await load(section)
    expect({ use, options }).toEqual({
      use: 'spreadsheetbench',
      options: {
        splitDir: '../data/split',
        files: '../data/books',
        mode: 'multi',
        maxTurns: 20,
        secondsPerTask: 500,
      },
    })
    expect(config.models.target).toMatchObject({ concurrency: 24 })
    expect(config.models.target).not.toHaveProperty('timeout', 500)
    const single = await load(section.replace('mode: multi', 'mode: single'))
    expect(single.options).toMatchObject({ mode: 'multi', maxTurns: 1 })
    expect(single.mapped.join('\n')).toContain('env.max_turns: not needed (with env.mode: single')
    expect((await load(section.replace('mode: multi', 'mode: react'))).options).toMatchObject({
      mode: 'react',
    })
    expect(await refusal(section.replace('mode: multi', 'mode: both'))).toContain(
      'env.mode must be single, multi or react, but is "both"',
    )
  })

  it('officeqa, which knows no ratio, and one folder of documents', async () => {
    const section =
      'name: officeqa\nsplit_mode: ratio\nsplit_dir: data/split\ndata_dirs:\n  - data/docs\nmax_tool_turns: 24\n'
    const { use, options, config } = await load(section)
    expect({ use, options }).toEqual({
      use: 'officeqa',
      options: { splitDir: '../data/split', sourcesDir: '../data/docs', turns: 24 },
    })
    expect(config.models.target).toMatchObject({ concurrency: 8 })
    const older = section.replace('data_dirs:\n  - data/docs', 'docs_dirs: data/docs').replace(/max_.*\n/, '')
    expect((await load(older)).options).toMatchObject({ sourcesDir: '../data/docs', turns: 12 })
    expect(await refusal(section.replace('  - data/docs', '  - data/docs\n  - data/more'))).toContain(
      'env.data_dirs names 2 folders, but only one is supported',
    )
  })

  it('alfworld, whose games are where its variable says', async () => {
    const section = `name: alfworld\n${split}max_steps: 40\nworkers: 8\nmax_api_workers: 4\n`
    const { use, options, config, mapped, sources } = await load(section, { ALFWORLD_DATA: '/data/alfworld' })
    expect({ use, options }).toEqual({
      use: 'alfworld',
      options: { splitDir: '../data/split', maxSteps: 40, gamesDir: '/data/alfworld' },
    })
    expect(config.models.target).toMatchObject({ concurrency: 4 })
    expect(sources['environment.gamesDir']).toBe('environment ALFWORLD_DATA')
    expect(mapped).toContain('env.name -> environment.use = alfworld')
    expect((await load(section)).options).not.toHaveProperty('gamesDir')
  })

  it('refuse a key of another environment unless it has no effect', async () => {
    expect(await refusal(`name: searchqa\n${split}max_steps: 50\n`)).toContain(
      'env.max_steps: 50 is not supported (run.yaml:13): it belongs to another environment than searchqa',
    )
    const { mapped } = await load(`name: alfworld\n${split}shuffle_choices: false\ndata_root: ""\n`)
    expect(mapped.join('\n')).toContain('env.shuffle_choices: not needed')
    expect(await refusal(`name: docvqa\n${split}max_turns: 3\n`)).toContain('DocVQA is answered in one turn')
  })
})
