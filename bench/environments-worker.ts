import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv, memoryUsage, resourceUsage } from 'node:process'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import type { Environment } from '../src/core/ports/environment.js'
import type { Task, Trajectory } from '../src/core/task/task.js'
import { readGame } from '../src/tasks/benchmarks/alfworld/game.js'
import { Play } from '../src/tasks/benchmarks/alfworld/play.js'
import { type Cell, cellKey, type Workbook } from '../src/tasks/benchmarks/spreadsheetbench/cells.js'
import { compareWorkbooks } from '../src/tasks/benchmarks/spreadsheetbench/compare.js'
import { parsePositions } from '../src/tasks/benchmarks/spreadsheetbench/positions.js'
import { readWorkbook } from '../src/tasks/benchmarks/spreadsheetbench/workbook.js'
import { scoreContext } from '../src/testing/score-context.js'

/**
 * Runs one measurement in its own process, so that its peak memory is separate: `environments-worker WHAT
 * NAME COUNT`. Prints JSON: the count, the time and the process's peak memory.
 */

const root = new URL('../', import.meta.url)
const [what = '', name = '', given = '0'] = argv.slice(2)
const count = Number(given)

interface Module {
  readonly options: { parse(value: unknown): object }
  create(options: object, context: { baseDir: string }): Promise<Environment>
}

const example = fileURLToPath(new URL(`examples/${name}/`, root))

async function environmentWith(changes: object = {}): Promise<Environment> {
  const { environment } = parse(await readFile(join(example, 'skillopt.yaml'), 'utf8')) as {
    environment: Record<string, unknown>
  }
  const { use, ...rest } = environment
  const module = (await import(new URL(`dist/tasks/benchmarks/${String(use)}/index.js`, root).href)) as Module
  return module.create(module.options.parse({ ...rest, ...changes }), { baseDir: example })
}

const saying = (text: string): Trajectory => ({
  messages: [
    { role: 'user', text: 'The question.' },
    { role: 'assistant', text },
  ],
  answer: text,
  stop: 'answered',
})

/** Scores this many attempts, cycling through the example's tasks. */
async function scores(): Promise<number> {
  const environment = await environmentWith()
  const tasks = await environment.tasks('test')
  const attempts = await Promise.all(tasks.map(async task => attemptAt(task)))
  const started = performance.now()
  for (let index = 0; index < count; index++) {
    const { task, trajectory } = attempts[index % attempts.length] ?? missing()
    await environment.score(task, trajectory, scoreContext)
  }
  return performance.now() - started
}

/** Games are won by their walkthrough, which the scorer replays; other tasks are answered. */
async function attemptAt(task: Task): Promise<{ task: Task; trajectory: Trajectory }> {
  if (name !== 'alfworld')
    return { task, trajectory: saying('It follows that <answer>1,234.5 million</answer>') }
  const text = await readFile(join(example, 'games', (task as Task & { gamefile: string }).gamefile), 'utf8')
  const messages = walkthroughOf(text).flatMap(command => saying(`<action>${command}</action>`).messages)
  return { task, trajectory: { messages, answer: '', stop: 'answered' } }
}

function walkthroughOf(game: string): readonly string[] {
  return (JSON.parse(game) as { walkthrough: string[] }).walkthrough
}

/** Loads a file with this many items, which are the example's own with different ids and words. */
async function loads(): Promise<number> {
  const source =
    name === 'livemath'
      ? 'data/train.json'
      : name === 'officeqa'
        ? 'tasks/train.jsonl'
        : 'data/train/items.json'
  const text = await readFile(join(example, source), 'utf8')
  const items = (
    text.trimStart().startsWith('[')
      ? JSON.parse(text)
      : text
          .trim()
          .split('\n')
          .map(line => JSON.parse(line))
  ) as Record<string, unknown>[]
  const folder = await mkdtemp(join(tmpdir(), 'skillopt-bench-'))
  try {
    const file = join(folder, 'items.jsonl')
    // Written in chunks, so that generating the items does not show in the peak memory.
    for (let start = 0; start < count; start += 1000) {
      const lines = Array.from({ length: Math.min(1000, count - start) }, (_, index) =>
        JSON.stringify(renamed(items[(start + index) % items.length] ?? {}, start + index)),
      )
      await appendFile(file, `${lines.join('\n')}\n`)
    }
    const started = performance.now()
    const environment = await environmentWith({
      splitDir: undefined,
      train: undefined,
      val: undefined,
      test: undefined,
      path: file,
    })
    const all = await Promise.all((['train', 'val', 'test'] as const).map(split => environment.tasks(split)))
    if (all.flat().length !== count)
      throw new Error(`${name}: ${all.flat().length} of ${count} items were loaded.`)
    return performance.now() - started
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function renamed(item: Record<string, unknown>, index: number): Record<string, unknown> {
  const mcq = item.mcq as Record<string, unknown> | undefined
  return {
    ...item,
    ...('uid' in item ? { uid: `bench-${index}` } : { id: `bench-${index}` }),
    ...('question' in item ? { question: `${String(item.question)} (${index})` } : {}),
    ...(mcq === undefined ? {} : { mcq: { ...mcq, question: `${String(mcq.question)} (${index})` } }),
  }
}

/**
 * Simulator steps, including admissible commands and observations, on the walkthroughs of all bundled games.
 */
async function steps(): Promise<number> {
  const environment = await environmentWith()
  const tasks = (
    await Promise.all((['train', 'val', 'test'] as const).map(split => environment.tasks(split)))
  ).flat()
  const games = await Promise.all(
    tasks.map(async task => {
      const text = await readFile(
        join(example, 'games', (task as Task & { gamefile: string }).gamefile),
        'utf8',
      )
      return { game: readGame(text), walkthrough: walkthroughOf(text) }
    }),
  )
  let done = 0
  const started = performance.now()
  for (let index = 0; done < count; index++) {
    const { game, walkthrough } = games[index % games.length] ?? missing()
    const play = new Play(game)
    for (const command of walkthrough) {
      if (play.step(command) === undefined) throw new Error(`"${command}" is not admissible.`)
      done += 1
    }
    if (!play.won) throw new Error('A walkthrough did not win.')
  }
  return performance.now() - started
}

/** Compares a sheet of this many cells (numbers, text and dates) with a copy of itself. */
async function cells(): Promise<number> {
  const columns = 50
  const rows = Math.ceil(count / columns)
  const workbook = (): Workbook => sheetOf(rows, columns)
  const [gold, made] = [workbook(), workbook()]
  const started = performance.now()
  const compared = compareWorkbooks(gold, made, parsePositions(`A1:AX${rows}`))
  const took = performance.now() - started
  if (!compared.passed) throw new Error('A sheet differs from its copy.')
  return took
}

function sheetOf(rows: number, columns: number): Workbook {
  const filled = new Map(
    Array.from({ length: rows * columns }, (_, index) => {
      const cells: readonly Cell[] = [
        { kind: 'number', value: index / 7 },
        { kind: 'text', value: `cell ${index}` },
        { kind: 'date', milliseconds: index * 86_400_000 },
      ]
      const cell = cells[index % cells.length] ?? missing()
      return [cellKey(1 + Math.floor(index / columns), 1 + (index % columns)), cell] as const
    }),
  )
  const used = { top: 1, left: 1, bottom: rows, right: columns }
  return { sheets: [{ name: 'Sheet1', cells: filled, merged: [], used }] }
}

/** Reads bundled workbooks from disk in the limited thread. */
async function workbooks(): Promise<number> {
  const folder = join(example, 'data', 'spreadsheet')
  const names = await readdir(folder, { recursive: true })
  const paths = names.filter(file => file.endsWith('.xlsx')).map(file => join(folder, file))
  const started = performance.now()
  for (let index = 0; index < count; index++) await readWorkbook(paths[index % paths.length] ?? missing())
  return performance.now() - started
}

function missing(): never {
  throw new Error('There is nothing to measure.')
}

const measurements: Readonly<Record<string, () => Promise<number>>> = {
  scores,
  loads,
  steps,
  cells,
  workbooks,
}
const milliseconds = await (measurements[what] ?? missing)()
const peak = Math.max(memoryUsage.rss(), resourceUsage().maxRSS * 1024)
console.log(JSON.stringify({ what, name, count, milliseconds, peak }))
process.exit(0)
