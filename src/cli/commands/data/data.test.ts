import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { dataWorld } from '../../../../test/support/data-world.js'
import { expectShown } from '../../../../test/support/shown-output.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { count } from '../../../core/text/format.js'
import { listBenchmarks } from '../../../project/benchmarks.js'
import { create, options } from '../../../tasks/benchmarks/searchqa/index.js'

const { at, run, put, read } = dataWorld()

const published = (index: number) => ({
  key: `k${index}`,
  question: `Which town has number ${index}?`,
  context: `[DOC] Town ${index} is Place${index}.`,
  answers: [`Place${index}`],
})
const lines = (items: readonly unknown[]) => items.map(item => `${JSON.stringify(item)}\n`).join('')
const twenty = Array.from({ length: 20 }, (_, index) => published(index))
const item = (index: number) => {
  const { key, ...others } = published(index)
  return { id: key, ...others }
}
const putSplits = async ([train, val, test]: readonly unknown[], folder = 'copy') => {
  await put(`${folder}/train/items.json`, train)
  await put(`${folder}/val/items.json`, val)
  await put(`${folder}/test/items.json`, test)
}

describe('data', () => {
  const six = ['alfworld', 'docvqa', 'livemath', 'officeqa', 'searchqa', 'spreadsheetbench']

  it('lists the needs, the source and the licence of every benchmark', async () => {
    const { code, out } = await run()
    expect(code).toBe(exitCodes.ok)
    for (const name of six) expect(out).toMatch(new RegExp(`^${name}  `, 'm'))
    expect(out).toContain('https://huggingface.co/datasets/lucadiliello/searchqa (items)')
    expect(out).toContain('Nothing is downloaded for you.')
    const listed = (await run('--json')).json() as Record<string, unknown>[]
    expect(listed.map(({ id }) => id)).toEqual(six)
    for (const { published: places, licence, needs, releases, splits } of listed)
      expect({ places, licence, needs, releases, splits }).toEqual({
        places: expect.arrayContaining([
          { what: expect.any(String), address: expect.stringMatching(/^https:/) },
        ]),
        licence: expect.stringMatching(/./),
        needs: expect.arrayContaining([expect.any(String)]),
        releases: expect.arrayContaining([{ name: expect.any(String), items: expect.any(Number) }]),
        splits: { train: expect.any(Number), val: expect.any(Number), test: expect.any(Number) },
      })
  })

  it('matches docs/benchmarks/README.md', async () => {
    const page = await readFile(new URL('../../../../docs/benchmarks/README.md', import.meta.url), 'utf8')
    for (const { id, name, splits, licence, published: places } of await listBenchmarks()) {
      const counts = [splits.train, splits.val, splits.test].map(count).join(' / ')
      expect(page).toContain(`| \`${id}\` | [${name}](${places[0]?.address}) | ${counts} | ${licence} |`)
    }
    expectShown('docs/benchmarks/README.md', 'data-searchqa', (await run('list', 'searchqa')).out.trimEnd())
  })

  it('describes one benchmark, and suggests a name for a typo', async () => {
    const { out } = await run('officeqa')
    expect(out).toContain('licence   CC BY-SA 4.0')
    expect(out).not.toContain('SearchQA')
    expect((await run('officeqa', '--json')).json()).toMatchObject({ id: 'officeqa', name: 'OfficeQA' })
    const unknown = await run('check', 'serchqa', '--from', 'x')
    expect(unknown.code).toBe(exitCodes.badInput)
    expect(unknown.err).toContain('Unknown benchmark "serchqa"; did you mean searchqa?')
  })
})

describe('data check', () => {
  it('accepts a copy and reports how it differs from the published one', async () => {
    await put('all.jsonl', lines(twenty))
    const { code, out } = await run('check', 'searchqa', '--from', 'all.jsonl')
    expect(code).toBe(exitCodes.ok)
    expect(out).toContain('all.jsonl: 20 items of SearchQA (not split yet)')
    expect(out).toContain('warn  published: train 117,384, validation 16,980; here: 20')
    expect(out).toContain('ok    all items are usable')
    await putSplits([[item(1)], [item(2)], [item(3)]])
    const divided = await run('check', 'searchqa', '--from', 'copy')
    expect(divided.code).toBe(exitCodes.ok)
    expect(divided.out).toContain('copy: 3 items of SearchQA (1 train, 1 validation, 1 test)')
  })

  it('lists every problem, also as JSON', async () => {
    const { answers: _, ...unanswered } = item(4)
    await putSplits([[item(1), item(1), unanswered], [item(2)], [item(3), item(2)]])
    const { code, out } = await run('check', 'searchqa', '--from', 'copy')
    expect(code).toBe(exitCodes.badInput)
    expect(out).toContain('train/items.json, item 3 is not a SearchQA item')
    expect(out).toContain('ids used more than once: 1 id\n      k1')
    expect(out).toContain('in more than one split: 1 id\n      k2 (val and test)')
    expect(out).toContain('SearchQA is published at https://huggingface.co/')
    const json = await run('check', 'searchqa', '--from', 'copy', '--json')
    expect(json.code).toBe(exitCodes.badInput)
    expect(json.json()).toMatchObject({
      benchmark: 'searchqa',
      form: 'splits',
      items: 6,
      ok: false,
      counts: { train: 3, val: 1, test: 2 },
    })
  })

  it.each([
    ['wrong JSON', '{"key":"a"}\n{"key":', 'all.jsonl, line 2 is not valid JSON'],
    ['no items', '', 'all.jsonl has no items.'],
    ['no object', '{"key":"a"}\n7\n', 'all.jsonl, line 2 is not an object with named fields'],
  ])('says where: %s', async (_case, content, said) => {
    await put('all.jsonl', content)
    const { code, out } = await run('check', 'searchqa', '--from', 'all.jsonl')
    expect(code).toBe(exitCodes.badInput)
    expect(out).toContain(`fail  ${said}`)
  })

  it('says where to get missing files', async () => {
    const { code, out } = await run('check', 'alfworld', '--from', 'nowhere')
    expect(code).toBe(exitCodes.badInput)
    expect(out).toBe(
      'fail  nowhere does not exist.\n      ALFWorld is published at https://github.com/alfworld/alfworld; skillopt downloads nothing.\n',
    )
  })

  it('reads splits as training does: a published item is not yet a task', async () => {
    await putSplits([[published(1)], [item(2)], [item(3)]])
    const { code, out } = await run('check', 'searchqa', '--from', 'copy')
    expect(code).toBe(exitCodes.badInput)
    expect(out).toContain('train/items.json, item 1 is not a SearchQA item')
  })
})

describe('data split', () => {
  it('splits by ratio and seed into files that the environment reads', async () => {
    await put('all.jsonl', lines(twenty))
    const { code, out } = await run('split', 'searchqa', '--from', 'all.jsonl', '--to', 'data')
    expect(code).toBe(exitCodes.ok)
    expect(out).toContain('Wrote data/train/items.json: 4 items\n')
    expect(out).toContain('Split 2:1:7 with seed 42.')
    expect(out).toContain('  environment:\n    use: searchqa\n    splitDir: data\n')
    const environment = await create(options.parse({ splitDir: 'data' }), { baseDir: at() })
    const idsOf = async (split: 'train' | 'val') => (await environment.tasks(split)).map(({ id }) => id)
    // The order that Python's random.Random(42).shuffle gives twenty items.
    expect([await idsOf('train'), await idsOf('val')]).toEqual([
      ['k19', 'k5', 'k14', 'k4'],
      ['k9', 'k13'],
    ])
    const counts = await run('check', 'searchqa', '--from', 'data', '--json')
    expect(counts.json()).toMatchObject({ counts: { train: 4, val: 2, test: 14 }, ok: true })
  })

  it('never replaces files unasked, and prints JSON for programs', async () => {
    await put('all.jsonl', lines(twenty))
    const argv = [
      'split',
      'searchqa',
      '--from',
      'all.jsonl',
      '--to',
      'data',
      '--ratio',
      '1:1:2',
      '--seed',
      '7',
    ]
    expect((await run(...argv, '--json')).json()).toMatchObject({
      files: [
        { split: 'train', file: at('data/train/items.json'), items: 5 },
        { split: 'val', items: 5 },
        { split: 'test', items: 10 },
      ],
      ratio: '1:1:2',
      seed: 7,
      environment: { use: 'searchqa', splitDir: at('data') },
    })
    const again = await run(...argv)
    expect(again.code).toBe(exitCodes.badInput)
    expect(again.err).toContain('nothing was written')
    expect((await run(...argv, '--force')).code).toBe(exitCodes.ok)
  })

  const byManifest = (manifest = 'ids.json') =>
    run('split', 'searchqa', '--from', 'all.jsonl', '--to', 'data', '--manifest', manifest)

  it.each([
    ['a file', { train: ['k3', { id: 'k1' }], val: ['k5'], test: ['k0', 'k2'] }],
    ['a file with other names', { train: ['k3', 'k1'], valid_seen: ['k5'], valid_unseen: ['k0', 'k2'] }],
  ])('divides by a manifest: %s', async (_case, manifest) => {
    await put('all.jsonl', lines(twenty))
    await put('ids.json', manifest)
    expect((await byManifest()).out).toContain('Split by ids.json.')
    expect((await read('data/train/items.json')).map(({ id }) => id)).toEqual(['k3', 'k1'])
    expect((await read('data/val/items.json')).map(({ id }) => id)).toEqual(['k5'])
    expect(await read('data/test/items.json')).toEqual([item(0), item(2)])
  })

  it('divides by a folder of ids, as the Python SkillOpt publishes them', async () => {
    await put('all.jsonl', lines(twenty))
    await putSplits([[{ id: 'k3' }], [{ id: 'k5' }], [{ id: 'k0' }, { id: 'k2' }]], 'ids')
    expect((await byManifest('ids')).code).toBe(exitCodes.ok)
    expect((await read('data/test/items.json')).map(({ id }) => id)).toEqual(['k0', 'k2'])
  })

  it.each([
    [
      'an unknown id',
      { train: ['k1', 'nope'], val: ['k2'], test: ['k3'] },
      'names 1 id that all.jsonl does not have: nope.',
    ],
    ['an id twice', { train: ['k1', 'k1'], val: ['k2'], test: ['k3'] }, 'lists an id twice: k1 (train).'],
    [
      'an id in two splits',
      { train: ['k1'], val: ['k2'], test: ['k1'] },
      'puts an id into two splits: k1 (train and test).',
    ],
    ['a split that is missing', { train: ['k1'], val: ['k2'] }, 'lacks the lists train, val and test.'],
    [
      'an entry without an id',
      { train: ['k1'], val: [{ key: 1 }], test: ['k3'] },
      'ids.json, val, entry 1 has no "id".',
    ],
    ['no JSON', '{"train": [', 'Cannot read the manifest ids.json'],
  ])('refuses a manifest with %s', async (_case, manifest, said) => {
    await put('all.jsonl', lines(twenty))
    await put('ids.json', manifest)
    const { code, err } = await byManifest()
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain(said)
    await expect(read('data/train/items.json')).rejects.toThrow('ENOENT')
  })

  it('rejects a missing manifest, and a ratio together with a manifest', async () => {
    await put('all.jsonl', lines(twenty))
    expect((await byManifest('none.json')).err).toContain('The manifest none.json does not exist.')
    const both = await run(
      ...['split', 'searchqa', '--from', 'all.jsonl', '--to', 'data', '--manifest', 'x', '--ratio', '1:1:1'],
    )
    expect(both.code).toBe(exitCodes.badInput)
    expect(both.err).toContain('--manifest')
  })

  it('rejects what training would reject, and writes nothing', async () => {
    const { answers: _, ...unanswered } = published(3)
    await put('all.jsonl', lines([...twenty, { ...unanswered, key: 'k99' }]))
    const bad = await run('split', 'searchqa', '--from', 'all.jsonl', '--to', 'data')
    expect(bad.err).toContain('1 item cannot be used; nothing was written. all.jsonl, line 21')
    await put('ids.json', { train: ['k1'], val: ['k2'], test: ['k3'] })
    expect((await byManifest()).code).toBe(exitCodes.ok)
    await put('all.jsonl', lines([...twenty, published(3)]))
    const twice = await run('split', 'searchqa', '--from', 'all.jsonl', '--to', 'other')
    expect(twice.err).toContain('all.jsonl has several items with the id k3.')
    await put('all.jsonl', lines(twenty.slice(0, 2)))
    const few = await run('split', 'searchqa', '--from', 'all.jsonl', '--to', 'other')
    expect(few.err).toContain('leaves none for')
    const divided = await run('split', 'searchqa', '--from', 'data', '--to', 'other')
    expect(divided.err).toContain('data is already split.')
  })
})
