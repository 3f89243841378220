/**
 * Writes docs/configuration.md from the built schema, and the table of docs/presets.md from the presets, so that they
 * cannot say anything else than the program does. `--check` writes nothing and fails if a page is out of date.
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

/** A section of our own keys, as opposed to a value or a free-form one. */
const isSection = node => node.properties !== undefined

const typeOf = node => {
  if (node.anyOf?.some(branch => branch.properties?.model !== undefined))
    return '`provider/model`, or a [model](#a-model)'
  if (node.type === 'object' && !isSection(node)) return 'a section of any keys'
  return expected(node).replace(/^one of (.*)$/, (_match, names) =>
    names
      .split(', ')
      .map(name => `\`${name}\``)
      .join(', '),
  )
}

const shown = value => {
  const text = JSON.stringify(value)
  return `\`${text.length > 60 ? `${text.slice(0, 57)}…` : text}\``
}

function rows(node, prefix, above = {}) {
  return Object.entries(node.properties ?? {}).flatMap(([key, inner]) => {
    const path = prefix === '' ? key : `${prefix}.${key}`
    const mayChange = above.mayChange === true || inner.mayChange === true
    const required = above.optional !== true && node.required?.includes(key) === true
    if (isSection(inner)) return rows(inner, path, { mayChange, optional: !required })
    const standard = inner.default === undefined ? (required ? '**required**' : '') : shown(inner.default)
    const meaning = `${inner.description ?? ''}${mayChange ? ' †' : ''}`
    return [`| \`${path}\` | ${[typeOf(inner), standard, meaning].map(cell).join(' | ')} |`]
  })
}

function table(node, prefix) {
  return ['| Key | Value | Default | Meaning |', '| --- | --- | --- | --- |', ...rows(node, prefix)].join(
    '\n',
  )
}

const sections = Object.entries(root.properties).filter(([, node]) => isSection(node))
const top = {
  ...root,
  properties: Object.fromEntries(Object.entries(root.properties).filter(([, node]) => !isSection(node))),
}

const benchmarks = await readdir(new URL('../dist/tasks/benchmarks/', import.meta.url))
const folders = [
  ['tasks', 'tasks/own'],
  ['sleep-tasks', 'sleep/replay'],
  ...benchmarks.map(id => [id, `tasks/benchmarks/${id}`]),
]
const environments = []
for (const [id, folder] of folders) {
  const { options } = await built(`${folder}/index.js`)
  environments.push(`### \`use: ${id}\`\n\n${table(nodeOf(options), 'environment')}`)
}
environments.sort()

const text = `# Configuration

<!-- Written by scripts/write-config-docs.mjs from the schema; change src/core/config/config.ts or an environment, not this page. -->

A project is a folder with a \`skillopt.yaml\` (or \`.yml\`, \`.json\`) in it. Paths in it are relative to the file. A key
that nothing reads is an error, with the nearest known one suggested.

A value is taken from the first of these that has it:

1. a flag, such as \`--max-cost 5\`, or \`--cfg-options section.key=value\`;
2. an environment variable: \`SKILLOPT_\`, then the path in capitals, so \`train.batchSize\` is
   \`SKILLOPT_TRAIN_BATCH_SIZE\` and \`models.target\` is \`SKILLOPT_MODELS_TARGET\`. They are taken from your
   shell; a \`.env\` file gives [API keys only](trust.md);
3. the file;
4. the [preset](presets.md), if one is named;
5. the default below.

\`skillopt show\` says for each value of a run where it came from. Secrets have no place in a config: put a key into an
environment variable, and, if it is not the provider's usual one, name that variable in \`apiKeyEnv\`.

Editors complete and check the file with the schema in the package:
\`# yaml-language-server: $schema=./node_modules/skillopt/dist/config.schema.json\`

† does not affect results, so it may differ when a run is resumed. A change of anything else is refused on an existing
run.

## Top level

${table(top, '')}

${sections.map(([key, node]) => `## ${key}\n\n${node.description === undefined ? '' : `${node.description}\n\n`}${table(node, key)}`).join('\n\n')}

## A model

\`models.target\`, \`models.optimizer\` and \`models.judge\` are each a \`provider/model\`, or a section with these keys:

${table(nodeOf(modelSchema), '')}

## Options of the environments

They stand beside \`use\` in the section \`environment\`. An environment of your own has those that it declares.

${environments.join('\n\n')}
`

/** What each preset sets, beside the default; a cell is empty where a preset leaves it to the default. */
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
      .filter(path => set.has(dotted(path)))
      .map(path => `| \`${dotted(path)}\` | ${values(path).join(' | ')} |`),
  ].join('\n')
}

/** A page of prose, but for what stands between these two marks. */
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
