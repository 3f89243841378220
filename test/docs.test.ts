import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import picocolors from 'picocolors'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { z } from 'zod'
import type { Library } from '../src/cli/library.js'
import { main } from '../src/cli/main.js'
import { renderForecast } from '../src/cli/output/forecast-text.js'
import { commonKeys, environments } from '../src/compat/config/environments.js'
import { directKeys } from '../src/compat/config/keys.js'
import { isReferenceYaml } from '../src/compat/config/layers.js'
import { configSchema } from '../src/core/config/config.js'
import { exitCodes } from '../src/core/errors/errors.js'
import { eventBodies } from '../src/core/log/event.js'
import { bytes } from '../src/core/text/format.js'
import { listProviders } from '../src/models/index.js'
import { assemble } from '../src/project/assemble.js'
import { loadProject } from '../src/project/load.js'
import { options as sleepTasksOptions } from '../src/sleep/replay/index.js'
import { options as alfworldOptions } from '../src/tasks/benchmarks/alfworld/index.js'
import { options as docvqaOptions } from '../src/tasks/benchmarks/docvqa/index.js'
import { options as livemathOptions } from '../src/tasks/benchmarks/livemath/index.js'
import { options as officeqaOptions } from '../src/tasks/benchmarks/officeqa/index.js'
import { options as searchqaOptions } from '../src/tasks/benchmarks/searchqa/index.js'
import { options as spreadsheetbenchOptions } from '../src/tasks/benchmarks/spreadsheetbench/index.js'
import { options as tasksOptions } from '../src/tasks/own/index.js'
import { chooseScorer, scorers } from '../src/tasks/scoring/index.js'
import { forecast } from '../src/trainer/forecast/forecast.js'
import * as contracts from '../src/trainer/stages/contracts.js'
import { promptNames } from '../src/trainer/stages/prompts.js'
import { fakeIo } from './support/fake-io.js'
import { type CodeBlock, codeBlocks, tableRows } from './support/markdown.js'
import { expectShown, linesBetween } from './support/shown-output.js'
import { gainRows, gateRows, intervalRows } from './support/task-counts.js'
import { typeErrors } from './support/type-check.js'

/**
 * Options, files, codes and figures in the documentation must exist. Links: docs-site; commands:
 * docs-commands.
 */

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const pages = [
  ...['README.md', 'AGENTS.md', 'CHANGELOG.md'].filter(page => existsSync(join(root, page))),
  ...['docs', 'examples'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.md') && basename(name) !== 'SKILL.md')
      .map(name => join(folder, name)),
  ),
]
const blocks: readonly (CodeBlock & { readonly page: string })[] = pages.flatMap(page =>
  codeBlocks(read(page)).map(block => ({ ...block, page })),
)

describe('code blocks', () => {
  it('that are a file of the repository equal it', () => {
    const copies = blocks.filter(block => block.marks.file !== undefined)
    expect(copies.length).toBeGreaterThan(0)
    for (const { marks, text } of copies) expect(text).toBe(read(marks.file ?? ''))
  })

  it('in YAML and JSON are valid configs, or fragments of one', () => {
    const configs = blocks.filter(({ language }) => language === 'yaml' || language === 'json')
    expect(configs.length).toBeGreaterThan(10)
    for (const { text, marks, page } of configs) {
      const data: unknown = parse(text)
      // A tasks file is not a config; its environment's tests read it.
      if (marks.contract !== undefined || marks.file?.startsWith('test/fixtures/sleep-tasks/')) continue
      expect(data, page).toBeTypeOf('object')
      const fragment = data as Record<string, Record<string, unknown> | undefined>
      if (isReferenceYaml(fragment)) continue
      const models = { target: 'simulated/target', optimizer: 'simulated/optimizer', ...fragment.models }
      const environment = { ...fragment.environment }
      const config = configSchema.parse({ ...fragment, environment, models })
      checkEnvironment(config.environment)
    }
  })

  it('in TypeScript pass the type check', () => {
    const code = blocks.filter(({ language }) => language === 'ts')
    expect(code.length).toBeGreaterThan(3)
    expect(typeErrors(code.map(({ page, text }) => ({ near: join(root, page), text })))).toEqual([])
  })
})

function checkEnvironment({ use, ...given }: { readonly use: string }): void {
  if (use === 'searchqa') searchqaOptions.parse(given)
  if (use === 'spreadsheetbench') spreadsheetbenchOptions.parse(given)
  if (use === 'officeqa') officeqaOptions.parse(given)
  if (use === 'alfworld') alfworldOptions.parse(given)
  if (use === 'docvqa') docvqaOptions.parse(given)
  if (use === 'livemath') livemathOptions.parse(given)
  if (use === 'sleep-tasks') sleepTasksOptions.parse(given)
  if (use === 'tasks') chooseScorer(tasksOptions.parse(given).scorer)
}

describe('docs/your-own-tasks.md', () => {
  it('has an example of each scorer, with a task that it takes', () => {
    const own = blocks.filter(({ page }) => page === join('docs', 'your-own-tasks.md'))
    const shown = own.flatMap(({ language, text }, index) => {
      const before = own[index - 1]
      if (language !== 'jsonl' || before === undefined) return []
      const { environment } = parse(before.text) as { environment: z.infer<typeof tasksOptions> }
      const scorer = chooseScorer(environment.scorer)
      for (const line of text.trim().split('\n')) expect(scorer.problem(JSON.parse(line))).toBeUndefined()
      return [scorer.id]
    })
    expect(shown.sort()).toEqual(scorers.map(({ id }) => id).sort())
  })
})

describe('docs/guide.md', () => {
  it('names every provider with its variables', async () => {
    const page = read('docs/guide.md')
    const providers = (await listProviders()).filter(({ id }) => id !== 'simulated')
    for (const { id, keyVariables, endpointVariables } of providers) {
      const row = tableRows(page).find(cells => cells[1]?.startsWith(`\`${id}/`)) ?? []
      expect(namesIn(row[2] ?? ''), id).toEqual(keyVariables)
      expect(namesIn(row[3] ?? ''), id).toEqual(endpointVariables)
    }
  })

  it('shows the forecast of examples/gsm8k', async () => {
    const project = join(root, 'examples', 'gsm8k')
    const setup = await assemble(await loadProject({ project, env: { OPENAI_API_KEY: 'sk-unused' } }))
    const shown = renderForecast(await forecast(setup), picocolors.createColors(false))
    expectShown('docs/guide.md', 'forecast', linesBetween(shown, /^expected/, /^Assumptions/).join('\n'))
  })
})

const namesIn = (cell: string) => [...cell.matchAll(/`([A-Z][A-Z_]+)`/g)].map(match => match[1])

describe('docs/your-own-tasks.md', () => {
  it('has the limits of files that providers declare', async () => {
    const rows = tableRows(read('docs/your-own-tasks.md'))
    for (const { id, files } of (await listProviders()).filter(({ id }) => id !== 'simulated')) {
      const cells = rows.find(([first = '']) => first.split(', ').includes(`\`${id}\``)) ?? []
      const row = cells.join(' ')
      const { image, document, maxBytes } = files?.('any') ?? {}
      const limits = [image?.maxBytes, document?.maxBytes, maxBytes].filter(limit => limit !== undefined)
      const shown = [...row.matchAll(/[\d.]+ MB/g)].map(([size]) => size)
      for (const limit of limits) expect(shown, id).toContain(bytes(limit).replace('.0 ', ' '))
      expect(cells[1] === 'no', id).toBe(image === undefined)
      expect(row.includes('no GIF'), id).toBe(image?.mediaTypes.includes('image/gif') === false)
      expect(cells[2] === 'no', id).toBe(document === undefined)
    }
  })
})

describe('docs/exit-codes.md', () => {
  it('is the table of exitCodes', () => {
    const rows = tableRows(read('docs/exit-codes.md')).map(([code, name = '']) => [
      name.replaceAll('`', ''),
      Number(code),
    ])
    expect(Object.fromEntries(rows)).toEqual(exitCodes)
  })
})

describe('docs/how-many-tasks.md', () => {
  it('has the figures that the statistics give', () => {
    const lines = read('docs/how-many-tasks.md').split('\n')
    for (const row of [...intervalRows(), ...gateRows(), ...gainRows()]) expect(lines).toContain(row)
  })
})

describe('docs/reading-a-run.md', () => {
  it('has every event type and no other', () => {
    const shown = tableRows(read('docs/reading-a-run.md'))
      .flatMap(([types = '']) => [...types.matchAll(/`([a-z-]+\.[a-z]+)`/g)].map(match => match[1] ?? ''))
      .filter(type => !type.endsWith('.json') && !type.endsWith('.jsonl') && !type.endsWith('.md'))
    expect(shown.sort()).toEqual(Object.keys(eventBodies).sort())
  })
})

describe('docs/prompts.md', () => {
  it('has every prompt, and replies that the contracts take', () => {
    const names = tableRows(read('docs/prompts.md')).map(([file = '']) => file.replace(/`|\.md/g, ''))
    expect(names.sort()).toEqual([...promptNames].sort())
    const schemas: Record<string, z.ZodType> = {
      failureAnalysis: contracts.analystReply('failure', 'patch', { skillAware: false, isRaced: false }),
      successAnalysis: contracts.analystReply('success', 'patch', { skillAware: false, isRaced: false }),
      suggestions: contracts.analystReply('failure', 'rewrite_from_suggestions', {
        skillAware: false,
        isRaced: false,
      }),
      fullRewrite: contracts.analystReply('failure', 'full_rewrite_minibatch', {
        skillAware: false,
        isRaced: false,
      }),
      skillAwareAnalysis: contracts.analystReply('failure', 'patch', { skillAware: true, isRaced: false }),
      mergedEdits: contracts.mergeReply.patch,
      mergedSuggestions: contracts.mergeReply.rewrite_from_suggestions,
      rewritten: contracts.rewriteReply,
      consolidated: contracts.consolidateReply(3),
      concernedTasks: contracts.classifyReply,
      learningRate: contracts.learningRateReply(3),
      ranking: contracts.rankReply(3),
      slowUpdate: contracts.slowUpdateReply,
      metaSkill: contracts.metaSkillReply,
      oneShot: contracts.oneShotReply,
      mined: contracts.mineReply,
      dreamed: contracts.dreamReply,
    }
    const shown = blocks.filter(({ marks }) => marks.contract !== undefined)
    expect(shown.map(({ marks }) => marks.contract).sort()).toEqual(Object.keys(schemas).sort())
    for (const { marks, text } of shown) {
      const schema = schemas[marks.contract ?? '']
      if (schema === undefined) throw new Error(`There is no contract ${marks.contract}.`)
      schema.parse(JSON.parse(text))
    }
  })
})

describe('docs/python-skillopt.md', () => {
  const page = read('docs/python-skillopt.md')
  let folder = ''
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

  it('shows a YAML that is taken, and what is made of it', async () => {
    folder = await mkdtemp(join(tmpdir(), 'skillopt-docs-'))
    const [yaml] = codeBlocks(page).filter(({ language }) => language === 'yaml')
    await writeFile(join(folder, 'searchqa.yaml'), yaml?.text ?? '')
    await writeFile(join(folder, 'SKILL.md'), '# Search\n')
    await mkdir(join(folder, 'data'))
    const { mapped } = await loadProject({
      config: 'searchqa.yaml',
      cfgOptions: ['train.num_epochs=1'],
      cwd: folder,
      env: {},
    })
    const shown = codeBlocks(page).flatMap(({ text }) =>
      text.split('\n').filter(line => line.includes(' -> ')),
    )
    expect(shown.length).toBeGreaterThan(3)
    expect(mapped).toEqual(expect.arrayContaining(shown))
  })

  it('names every key that is mapped', () => {
    const names = new Set([...page.matchAll(/`(?:\w+\.)?(\w+)[^`]*`/g)].map(match => match[1]))
    const own = Object.values(environments).flatMap(({ keys }) => Object.keys(keys))
    const missing = [...Object.keys(directKeys), ...commonKeys, ...own].filter(
      key => !names.has(key.split('.')[1]),
    )
    expect(missing).toEqual([])
    for (const name of Object.keys(environments)) expect(page).toContain(`| \`${name}\` |`)
  })

  it('shows what an import says', async () => {
    const place = await mkdtemp(join(tmpdir(), 'skillopt-docs-'))
    await cp(join(root, 'test/fixtures/reference-run'), join(place, 'outputs/units'), { recursive: true })
    const io = fakeIo<Library>({ cwd: place })
    const code = await main(['data', 'import', 'outputs/units'], io)
    await rm(place, { recursive: true })
    expect([code, io.err()]).toEqual([exitCodes.ok, ''])
    expectShown('docs/python-skillopt.md', 'import', io.out().trimEnd())
  })
})

it('mentions no file outside of the repository', () => {
  const outside = pages.filter(page => /(^|[\s`(])\/(tmp|work|home|Users)\//.test(read(page)))
  expect(outside.map(page => relative(root, page))).toEqual([])
})
