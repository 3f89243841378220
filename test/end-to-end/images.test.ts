import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  attachment,
  attemptOne,
  defineEnvironment,
  evaluate,
  type Forecast,
  filePart,
  train,
} from '../../src/app/index.js'
import { type ChatRequest, startLoopbackServer } from '../../src/testing/index.js'
import { pdf, png } from '../support/pictures.js'

/** Tasks with images, from the files on disk to the bytes that the model receives, and into the log. */

const colours = { red: [200, 0, 0], green: [0, 200, 0], blue: [0, 0, 200] } as const
type Colour = keyof typeof colours
const names = Object.keys(colours) as Colour[]

const rule = 'Answer with the colour in capital letters.'
/** Images received with each target call. */
let received: Buffer[] = []
let optimizerSaw = ''

/** Reads the first pixel, which is stored uncompressed after the headers, and follows the only rule. */
function look(image: Buffer): Colour {
  const pixel = image.indexOf('IDAT') + 4 + 2 + 5 + 1
  const channel = [0, 1, 2].findIndex(index => image[pixel + index] === 200)
  return names[channel] ?? 'red'
}

const server = await startLoopbackServer({
  respond: request => {
    if (request.model === 'optimizer') {
      optimizerSaw += JSON.stringify(request.messages)
      const edits = [{ op: 'append', content: `- ${rule}` }]
      return {
        content: JSON.stringify({ batch_size: 1, failure_summary: [], patch: { reasoning: '', edits } }),
      }
    }
    const images = imagesIn(request)
    received.push(...images)
    const [image] = images
    const colour = image === undefined ? 'nothing' : look(image)
    return { content: JSON.stringify(request.messages).includes(rule) ? colour.toUpperCase() : colour }
  },
})
afterAll(() => server.close())

function imagesIn({ messages }: ChatRequest): Buffer[] {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  const urls = parts.map(part => (part as { image_url?: { url: string } }).image_url?.url)
  return urls.flatMap(url => (url === undefined ? [] : [Buffer.from(url.split(',')[1] ?? '', 'base64')]))
}

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'skillopt-images-'))
  await writeFile(join(directory, 'SKILL.md'), '# Colours\n\n- Answer in one word.\n')
  for (const name of names) await writeFile(join(directory, `${name}.png`), png(colours[name]))
  for (const split of ['train', 'val', 'test']) {
    // Many tasks share three images.
    const tasks = Array.from({ length: 9 }, (_, index) => {
      const name = names[index % 3] ?? 'red'
      return {
        id: `${split}-${index}`,
        question: `What colour is square ${index} of ${split}?`,
        answer: name.toUpperCase(),
        files: [`${name}.png`],
      }
    })
    await writeFile(join(directory, `${split}.jsonl`), tasks.map(task => JSON.stringify(task)).join('\n'))
  }
})
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
beforeEach(() => {
  received = []
})

const model = (name: string) => ({ model: `openai-compatible/${name}`, endpoint: `${server.url}/v1` })
const config = {
  environment: {
    train: 'train.jsonl',
    val: 'val.jsonl',
    test: 'test.jsonl',
    instructions: 'Look at it.',
    scorer: { name: 'exact', extract: 'whole', caseSensitive: true },
  },
  models: { target: model('target'), optimizer: model('optimizer') },
  train: { loop: 'steps' as const, epochs: 1, batchSize: 9 },
  evaluation: { gate: 'guarded' },
}
const options = () => ({ config, cwd: directory, env: {} })
const fileOf = (run: string, name: string) => readFile(join(directory, run, name), 'utf8')

describe('training over pictures', () => {
  it('sends the bytes as they are, keeps them once, and shows the optimizer their names', async () => {
    let onTop: readonly string[] = []
    const confirm = async (forecast: Forecast) => {
      onTop = forecast.onTop
      return true
    }
    const { outcome, bestSkill, view } = await train({ ...options(), out: 'run', confirm })
    expect(onTop).toEqual(['images'])
    expect(outcome).toBe('finished')
    expect(bestSkill).toContain(rule)
    expect(view?.tests.map(({ which, hard }) => [which, hard])).toContainEqual(['best', 1])

    const files = names.map(name => png(colours[name]))
    expect(received.length).toBeGreaterThan(40)
    expect(received.every(image => files.some(file => file.equals(image)))).toBe(true)

    expect(optimizerSaw).toMatch(/\[image red\.png, image\/png, \d+ B\]/)
    const events = await fileOf('run', 'events.jsonl')
    const texts = await fileOf('run', 'blobs.jsonl')
    for (const file of files) {
      const data = file.toString('base64')
      expect(texts.split(data)).toHaveLength(2)
      for (const place of [events, optimizerSaw]) expect(place).not.toContain(data.slice(0, 60))
    }
  })

  it('resumes from its log without paying again, even if an image was renamed', async () => {
    const paid = server.counters.requests
    expect((await train({ ...options(), out: 'run' })).outcome).toBe('finished')
    await rename(join(directory, 'red.png'), join(directory, 'crimson.png'))
    const tasks = await readFile(join(directory, 'train.jsonl'), 'utf8')
    for (const split of ['train', 'val', 'test']) {
      const file = join(directory, `${split}.jsonl`)
      await writeFile(file, (await readFile(file, 'utf8')).replaceAll('red.png', 'crimson.png'))
    }
    expect(tasks).not.toBe(await readFile(join(directory, 'train.jsonl'), 'utf8'))
    expect((await train({ ...options(), out: 'run' })).outcome).toBe('finished')
    expect(server.counters.requests).toBe(paid)
  })

  it('refuses to resume with a changed image', async () => {
    const before = await readFile(join(directory, 'green.png'))
    await writeFile(join(directory, 'green.png'), png([1, 1, 1]))
    await expect(train({ ...options(), out: 'run' })).rejects.toThrow(/content of train: was/)
    await writeFile(join(directory, 'green.png'), before)
  })

  it('shows a picture by its name in a trial', async () => {
    const { value } = await attemptOne({ ...options(), task: 'test-1', out: 'trial' })
    expect(value?.messages.at(-2)?.text).toMatch(
      /^\[image green\.png, image\/png, \d+ B\]\n\nWhat colour is square 1/,
    )
    expect(JSON.stringify(value)).not.toContain(png(colours.green).toString('base64').slice(0, 60))
  })
})

describe('refused before any call', () => {
  it.each([
    ['vllm/any', 'report.pdf', /task a .*report\.pdf is a PDF document, and vllm\/any takes no documents/],
    ['qwen/qwen-plus', 'green.png', /green\.png is a PNG image, and qwen\/qwen-plus takes no images/],
    [
      'qwen/qwen-vl-max',
      'huge.png',
      /huge\.png has 8\.\d MB, and qwen\/qwen-vl-max takes images of at most 7\.5 MB/,
    ],
  ])('%s with %s', async (name, file, said) => {
    await writeFile(join(directory, 'report.pdf'), pdf(1))
    await writeFile(join(directory, 'huge.png'), png([5, 5, 5], 1680))
    const row = (id: string) => JSON.stringify({ id, question: `${id}?`, answer: 'x', files: file })
    for (const id of ['a', 'b', 'c']) await writeFile(join(directory, `${id}.jsonl`), row(id))
    const target = { model: name, endpoint: `${server.url}/v1` }
    const before = server.counters.requests
    const evaluated = evaluate({
      config: {
        environment: { train: 'a.jsonl', val: 'b.jsonl', test: 'c.jsonl' },
        models: { target, optimizer: model('optimizer') },
      },
      cwd: directory,
      env: { DASHSCOPE_API_KEY: 'k' },
      split: 'test',
    })
    await expect(evaluated).rejects.toThrow(said)
    expect(server.counters.requests).toBe(before)
  })
})

describe('an environment of one’s own', () => {
  const image = png(colours.blue)
  const own = (attachments: boolean) =>
    defineEnvironment({
      id: 'squares',
      needs: ['chat', 'images'],
      tasks: split => [
        { id: split, ...(attachments ? { attachments: [attachment('blue.png', image)] } : {}) },
      ],
      prompt: async ({ id }) => [filePart('blue.png', image), { type: 'text', text: `Which colour, ${id}?` }],
      score: (_, answer) => (answer === 'blue' ? 1 : 0),
    })

  it('hands out files as parts of its prompt', async () => {
    const { splits } = await evaluate({
      ...options(),
      config: { ...config, environment: {} },
      environment: own(true),
      split: 'val',
    })
    expect(splits).toMatchObject([{ split: 'val', hard: 1, scored: 1 }])
    expect(received).toEqual([image])
  })

  it.each([true, false])('is refused by a model that takes none (announced: %s)', async announced => {
    const target = { model: 'deepseek/deepseek-chat', endpoint: `${server.url}/v1` }
    const refused = evaluate({
      cwd: directory,
      env: { DEEPSEEK_API_KEY: 'k' },
      config: { ...config, environment: {}, models: { ...config.models, target } },
      environment: own(announced),
    })
    await expect(refused).rejects.toThrow(
      announced
        ? /task train .*deepseek-chat takes no images/
        : /squares has images, which .* does not support/,
    )
    expect(received).toEqual([])
  })
})
