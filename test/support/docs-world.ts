import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { updateBook } from '../../src/sleep/book/book.js'
import { openProject } from '../../src/sleep/settings/places.js'
import { codeBlocks } from './markdown.js'
import { shownBook } from './sleep-book.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Settings for keyless models on one server for all commands, and for a minimal training. */
export const cheapSettings = (server: string) => ({
  SKILLOPT_MODELS_TARGET_MODEL: 'simulated/target',
  SKILLOPT_MODELS_TARGET_ENDPOINT: `${server}/v1`,
  SKILLOPT_MODELS_OPTIMIZER_MODEL: 'simulated/optimizer',
  SKILLOPT_MODELS_OPTIMIZER_ENDPOINT: `${server}/v1`,
  SKILLOPT_TRAIN_EPOCHS: '1',
})

/**
 * A folder with everything that the docs' commands name: projects, two runs of `my-skill`, a run of the
 * quickstart, a skill with a folder, the examples, the installed package, a config of the Python package.
 * `run` is the command line.
 */
export async function buildWorld(
  run: (argv: readonly string[], cwd: string) => Promise<{ code: number; said: string }>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skillopt-docs-world-'))
  const put = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  for (const name of ['my-skill', 'my-project']) {
    await put(`${name}/skillopt.yaml`, project)
    await put(`${name}/SKILL.md`, read('examples/quickstart/SKILL.md'))
    for (const [split, ids] of Object.entries(taskIds))
      await put(`${name}/tasks/${split}.jsonl`, tasks(split, ids))
  }
  await put('my-skill/gate.ts', blockOf('docs/recipes.md', 'ts', '// my-skill/gate.ts'))
  await put('skills/my-skill/SKILL.md', read('examples/quickstart/SKILL.md'))
  await put('better.md', `${read('examples/quickstart/SKILL.md')}- Round up to whole cents.\n`)
  await put('skills/my-skill/references/tariff.md', '# Tariff\n')

  await put('tickets.csv', blockOf('docs/preparing-tasks.md', 'csv', '4711,'))
  for (const path of ['late-parcel.', 'refunds/charged-twice/'])
    for (const part of ['question', 'answer']) await put(`cases/${path}${part}.md`, `The ${part}.\n`)

  await put('searchqa.yaml', blockOf('docs/python-skillopt.md', 'yaml', 'env:'))
  await put('SKILL.md', '# Search\n\nAnswer the question.\n')
  await put('outputs/searchqa/best_skill.md', '# Search\n\nAnswer in one word.\n')
  await cp(join(root, 'test/fixtures/reference-run'), join(folder, 'outputs/units'), { recursive: true })
  for (const split of ['train', 'val', 'test']) await put(`data/${split}/items.jsonl`, searchItems(split))
  await put('searchqa.jsonl', ['a', 'b', 'c'].map(searchItems).join(''))
  await put('ids.json', JSON.stringify({ train: ['a-1', 'b-2'], val: ['c-3'], test: ['c-1', 'c-2'] }))

  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules', 'skillopt'), 'junction')
  await symlink(join(root, 'examples'), join(folder, 'examples'), 'junction')

  const { code, said } = await run(['train', 'my-skill', '--out', join('runs', 'my-skill-001')], folder)
  if (code !== 0) throw new Error(`The training that the docs build on ended with ${code}:\n${said}`)
  // No command reads these derived files, and they would be copied for every page.
  for (const name of ['steps', 'slow_update', 'meta_skill'])
    await rm(join(folder, 'runs', 'my-skill-001', name), { recursive: true, force: true, maxRetries: 5 })
  for (const name of ['my-skill-002', 'quickstart-001'])
    await cp(join(folder, 'runs', 'my-skill-001'), join(folder, 'runs', name), { recursive: true })
  return folder
}

/** A folder with the table from the start of docs/guide.md, extended by similar rows. */
export async function startGuide(folder: string): Promise<void> {
  const head = blockOf('docs/guide.md', 'csv', 'q1,').trimEnd()
  const lines = read('examples/quickstart/tasks/train.jsonl').trim().split('\n').slice(2, 42)
  const rows = lines.map((line, index) => {
    const { type, question, answer } = JSON.parse(line) as Record<string, string>
    return `q${index + 3},${type},"${question}",${answer}`
  })
  await mkdir(folder)
  await writeFile(join(folder, 'questions.csv'), [head, ...rows, ''].join('\n'))
}

/** A folder used with agents, which is also the home, with the tasks shown in docs/sleep.md. */
export async function startSleep(folder: string): Promise<void> {
  const { folder: kept, root } = await openProject('.', { env: { HOME: folder }, cwd: folder })
  await updateBook(kept, root, () => shownBook(root))
}

/** Eight steps, so that the run has the versions that the docs compare. */
const project = `skill: SKILL.md
environment:
  use: tasks
  train: tasks/train.jsonl
  val: tasks/val.jsonl
  test: tasks/test.jsonl
  scorer: exact
models:
  target: simulated/target
  optimizer: simulated/optimizer
train:
  loop: steps
  epochs: 2
  batchSize: 1
evaluation:
  gate: guarded
`

/** Uses the ids that the docs name. */
const taskIds = {
  train: ['1', 'c1', 'gsm8k-test-01', 't1'],
  val: ['val-1', 'val-2', 'val-3', 'val-4'],
  test: ['test-1', 'test-2', 'test-3', 'test-4'],
}

function tasks(split: string, ids: readonly string[]): string {
  const lines = read(`examples/quickstart/tasks/${split}.jsonl`).split('\n')
  return ids.map((id, index) => `${JSON.stringify({ ...JSON.parse(lines[index] ?? ''), id })}\n`).join('')
}

function searchItems(split: string): string {
  const item = (number: number) => ({
    id: `${split}-${number}`,
    question: `What is number ${number} of ${split}?`,
    context: '[DOC] It is a number.',
    answers: ['a number'],
  })
  return [1, 2, 3, 4].map(number => `${JSON.stringify(item(number))}\n`).join('')
}

function blockOf(page: string, language: string, mark: string): string {
  const block = codeBlocks(read(page)).find(block => block.language === language && block.text.includes(mark))
  if (block === undefined) throw new Error(`${page} has no ${language} block with ${mark}.`)
  return block.text
}
