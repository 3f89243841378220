/**
 * Generates docs/configuration.md from the built schema and the table of docs/presets.md from the presets,
 * so that they always match the program. `--check` writes nothing and fails if a page is out of date.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { z } from 'zod'

const pageNamed = name => new URL(`../docs/${name}`, import.meta.url)
const built = path => import(new URL(`../dist/${path}`, import.meta.url).href)

const { configSchema, modelSchema } = await built('core/config/config.js')
const { presetNames, presets } = await built('core/config/presets.js')
const { expected } = await built('core/config/schema-nodes.js')
const { dotted, leafPaths, valueAt } = await built('core/config/tree.js')

const nodeOf = schema => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
const root = nodeOf(configSchema)

const cell = text => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** True for a section with defined keys, as opposed to a value or a free-form section. */
const isSection = node => node.properties !== undefined

/** Allowed names of a value, unless the description already lists them all. */
const namesOf = node => {
  const names = /^one of (.*)$/.exec(expected(node))?.[1]?.split(', ') ?? []
  const isDescribed = names.every(name => node.description?.includes(`\`${name}\``))
  if (isDescribed) return ''
  const quoted = names.map(name => `\`${name}\``)
  return quoted.length > 5 ? `${quoted[0]} to ${quoted.at(-1)}. ` : `${quoted.join(', ')}. `
}

const shown = value => {
  const text = JSON.stringify(value)
  return `\`${text.length > 40 ? `${text.slice(0, 37)}…` : text}\``
}

function rows(node, prefix, above = {}) {
  return Object.entries(node.properties ?? {}).flatMap(([key, inner]) => {
    const path = prefix === '' ? key : `${prefix}.${key}`
    const mayChange = above.mayChange === true || inner.mayChange === true
    const required = above.optional !== true && node.required?.includes(key) === true
    if (isSection(inner)) return rows(inner, path, { mayChange, optional: !required })
    const standard = inner.default === undefined ? (required ? '**required**' : '') : shown(inner.default)
    const meaning = `${namesOf(inner)}${inner.description ?? ''}${mayChange ? ' †' : ''}`
    return [{ path, standard, meaning }]
  })
}

const tableOf = lines =>
  [
    '| Key | Default | Meaning |',
    '| --- | --- | --- |',
    ...lines.map(({ path, standard, meaning }) => `| \`${path}\` | ${cell(standard)} | ${cell(meaning)} |`),
  ].join('\n')

const lineOf = ({ path, standard, meaning }) =>
  `- \`${path}\`${standard === '' ? '' : ` (${standard})`}: ${meaning.replaceAll('\n', ' ')}`
const listOf = lines => lines.map(lineOf).join('\n')

/** Keys that most projects set; all others are advanced. */
const everyday = [
  'preset',
  'skill',
  'environment.use',
  'models.target',
  'models.optimizer',
  'models.judge',
  'train.epochs',
  'reflect.preferences',
  'optimizer.tokenLimit',
  'evaluation.metric',
  'evaluation.validationSize',
  'evaluation.testSize',
  'evaluation.test',
  'limits.maxCost',
  'limits.maxCalls',
  'limits.maxTokens',
  'limits.maxTime',
  'cache',
]
const all = rows(root, '')
const unknown = everyday.filter(path => !all.some(row => row.path === path))
if (unknown.length > 0) throw new Error(`There is no option ${unknown.join(', ')}.`)
const everydayRows = everyday.map(path => all.find(row => row.path === path))
const advancedRows = all.filter(({ path }) => !everyday.includes(path))
const sections = [...new Set(advancedRows.map(({ path }) => (path.includes('.') ? path.split('.')[0] : '')))]
const advanced = sections.toSorted().map(name => {
  const own = advancedRows.filter(({ path }) =>
    name === '' ? !path.includes('.') : path.startsWith(`${name}.`),
  )
  return `${name === '' ? '### Top level' : `### ${name}`}\n\n${listOf(own)}`
})

const benchmarks = await readdir(new URL('../dist/tasks/benchmarks/', import.meta.url))
const folders = [
  ['tasks', 'tasks/own'],
  ['sleep-tasks', 'sleep/replay'],
  ...benchmarks.map(id => [id, `tasks/benchmarks/${id}`]),
]
const environments = []
for (const [id, folder] of folders) {
  const { options } = await built(`${folder}/index.js`)
  environments.push({ name: id, rows: rows(nodeOf(options), '') })
}
environments.sort((one, other) => one.name.localeCompare(other.name))
/** Counts identical options, to find those that most environments share. */
const counts = new Map()
for (const line of environments.flatMap(one => one.rows.map(lineOf)))
  counts.set(line, (counts.get(line) ?? 0) + 1)
const isShared = row => counts.get(lineOf(row)) > environments.length / 2
const shared = environments.flatMap(one => one.rows.filter(isShared))
const sharedOnce = shared.filter(
  (row, index) => shared.findIndex(other => lineOf(other) === lineOf(row)) === index,
)
const environmentTables = environments.map(
  one => `### \`use: ${one.name}\`\n\n${listOf(one.rows.filter(row => !isShared(row)))}`,
)

const text = `# Configuration

<!-- Written by scripts/write-config-docs.mjs from the schema; change src/core/config or an environment, not this page. -->

A project is a folder with a \`skillopt.yaml\` (or \`.yml\`, \`.json\`); paths in it are relative to the file. An unknown key is an
error that suggests the nearest one. A value comes from the first of these that has it:

1. a flag, such as \`--max-cost 5\` or \`--set train.epochs=2\`;
2. an environment variable of your shell: \`train.batchSize\` is \`SKILLOPT_TRAIN_BATCH_SIZE\`;
3. the file;
4. the [preset](presets.md);
5. the default below.

\`skillopt show --sources\` says where each value of a run came from. Keys of providers belong into
[environment variables](guide.md#keys), never into the file. For completion in editors, start the file with
\`# yaml-language-server: $schema=./node_modules/skillopt/dist/config.schema.json\`.

† does not affect results and may change when a run resumes. Any other change on an existing run is refused.

## Everyday

${tableOf(everydayRows)}

A model is \`provider/model\` or a section with the [keys below](#a-model). Further keys of \`environment\` depend on
[\`use\`](#environments).

## Advanced

Defaults stand in parentheses.

${advanced.join('\n\n')}

## A model

${listOf(rows(nodeOf(modelSchema), ''))}

## Environments

Keys beside \`use\` in the section \`environment\`. Most environments take these:

${listOf(sharedOnce)}

${environmentTables.join('\n\n')}
`

/** Keys for which a preset differs from the default; a cell is empty if the preset keeps the default. */
function presetTable() {
  const named = presetNames.filter(name => name !== 'default')
  const defaults = configSchema.parse({ environment: {}, models: { target: 'a/b', optimizer: 'a/b' } })
  const set = new Set(named.flatMap(name => leafPaths(presets[name]).map(dotted)))
  const values = path =>
    [defaults, ...named.map(name => presets[name])].map(settings => {
      const value = valueAt(settings, path)
      return value === undefined ? '' : shown(value)
    })
  return [
    `| Key | default | ${named.join(' | ')} |`,
    `| --- | --- | ${named.map(() => '---').join(' | ')} |`,
    ...leafPaths(defaults)
      .filter(path => set.has(dotted(path)) && new Set(values(path).filter(value => value !== '')).size > 1)
      .map(path => `| \`${dotted(path)}\` | ${values(path).join(' | ')} |`),
  ].join('\n')
}

/** Replaces the generated part between the two marks; the rest of the page is prose. */
async function withPart(name, content) {
  const [before, rest] = (await readFile(pageNamed(name), 'utf8')).split('<!-- written -->\n')
  const [, after] = rest?.split('<!-- end -->') ?? []
  if (after === undefined) throw new Error(`docs/${name} has no marks <!-- written --> and <!-- end -->.`)
  return `${before}<!-- written -->\n${content}\n<!-- end -->${after}`
}

const pages = {
  'configuration.md': text,
  'presets.md': await withPart('presets.md', presetTable()),
}
for (const [name, content] of Object.entries(pages)) {
  if (!process.argv.includes('--check')) {
    await writeFile(pageNamed(name), content)
    continue
  }
  const current = await readFile(pageNamed(name), 'utf8').catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (current === content) continue
  console.error(`docs/${name} is out of date: run \`npm run build && node scripts/write-config-docs.mjs\`.`)
  process.exitCode = 1
}
