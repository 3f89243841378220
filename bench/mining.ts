import { InputError } from '../src/core/errors/errors.js'
import { clusterRequests } from '../src/sleep/mining/clusters.js'
import type { Embedder } from '../src/sleep/mining/embedded.js'
import { loadEmbedder } from '../src/sleep/mining/load-embedder.js'
import { type Recurrence, recurrences } from '../src/sleep/mining/recurrence.js'
import { requestsOf } from '../src/sleep/mining/requests.js'
import { mean } from './figures.js'
import { byFirstPrompt, intentFigures, textsOf } from './mining-corpus.js'
import { type FamilyFigures, familyFigures } from './mining-families.js'
import { labelsOf, type Quality, qualityOf } from './mining-quality.js'
import { type LabelledSet, labelledSet, type Part, parts } from './mining-set.js'
import { timeOfMany } from './mining-time.js'
import { readCorpus, requestsOfCorpus, type Style, styles } from './sleep-corpus.js'
import { count, met, saveResult, table } from './table.js'

/**
 * Measures how well and how fast recurring requests are recognised: `mining [--words] [--embedder NAME]
 * [--errors] [--no-time]`. Compares matching by words with each installed embedder; `--words` skips the
 * embedders, `--embedder` names another one, or a module that exports an `embedder`. `--errors` shows the
 * errors on the tuned part; for the held-out part only the figures are shown, so that nobody tunes on it.
 */

const seeds = [1, 2, 3, 4, 5]
const wanted = { precision: 0.9, recall: 0.8, seconds: 60, megabytes: 512 }
const known = ['minilm', 'universal']

async function measure(set: LabelledSet, embedder: Embedder | undefined): Promise<readonly Recurrence[]> {
  return recurrences(await clusterRequests(set.transcripts.flatMap(requestsOf), embedder))
}

interface Row extends Quality {
  readonly method: string
  readonly part: Part
  /** Share of the pairs of clusters with the same intent that are in one family. */
  readonly related: number
  readonly largestFamily: number
  readonly recurring: number
}

/** Seeds vary the files, names, typos and sessions; the wordings stay the same. */
async function rowsOf(method: string, embedder: Embedder | undefined): Promise<readonly Row[]> {
  const sets = seeds.map(labelledSet)
  const found: (readonly Recurrence[])[] = []
  const related: FamilyFigures[] = []
  for (const set of sets) {
    const clusters = await measure(set, embedder)
    found.push(clusters)
    related.push(await familyFigures(clusters, set, embedder))
  }
  return parts.map(part => {
    const all = sets.map((set, index) => qualityOf(found[index] ?? [], set, part))
    const average = (of: 'pairs' | 'clusters') => ({
      precision: mean(all.map(quality => quality[of].precision)),
      recall: mean(all.map(quality => quality[of].recall)),
    })
    return {
      method,
      part,
      pairs: average('pairs'),
      clusters: average('clusters'),
      whole: mean(all.map(quality => quality.whole)),
      related: mean(related.map(({ together }) => together[part])),
      largestFamily: Math.max(...related.map(({ largest }) => largest)),
      recurring: mean(related.map(figures => figures.recurring)),
    }
  })
}

async function showErrors(embedder: Embedder | undefined): Promise<void> {
  const set = labelledSet(1)
  for (const { requests, isRecurring, score } of await measure(set, embedder)) {
    const labels = labelsOf(requests, set)
    if (!labels.some(({ part }) => part === 'tuned')) continue
    const isRight = new Set(labels.map(({ name }) => name)).size === 1 && labels.length > 6
    if (isRight || (labels.every(label => !label.isRecurring) && !isRecurring)) continue
    console.log(`\n${isRecurring ? 'recurring' : 'one-off'} (${score}):`)
    for (const [index, { text }] of requests.entries()) {
      const label = labels[index]
      const shown = label?.part === 'tuned' ? `${label.name}: ${text}` : 'one of the held-out part'
      console.log(`  ${shown}`)
    }
  }
}

/** Caches vectors, because the same texts occur in all sets and embedding is slow. */
function remembering(embedder: Embedder): Embedder {
  const vectors = new Map<string, Float32Array>()
  return {
    ...embedder,
    embed: async texts => {
      const fresh = [...new Set(texts.filter(text => !vectors.has(text)))]
      const made = fresh.length === 0 ? [] : await embedder.embed(fresh)
      for (const [index, text] of fresh.entries()) vectors.set(text, made[index] ?? new Float32Array())
      return texts.map(text => vectors.get(text) ?? new Float32Array())
    },
  }
}

/** Intents that recur in labelled sessions of one style, beside the rule of the Python reference. */
async function corpusRow(style: Style) {
  const sessions = await readCorpus(style)
  const found = recurrences(await clusterRequests(await requestsOfCorpus(sessions)))
  const reference = intentFigures(byFirstPrompt(sessions), sessions)
  return { style, ours: intentFigures(textsOf(found), sessions), reference }
}

/** Skips an embedder that is not installed, with a message. */
async function installed(name: string): Promise<readonly Embedder[]> {
  try {
    return [remembering(await loadEmbedder(name, { baseDir: process.cwd() }))]
  } catch (error) {
    if (!(error instanceof InputError) || name === given) throw error
    console.log(`Not measured: ${error.message} ${error.hint ?? ''}`)
    return []
  }
}

const flags = process.argv.slice(2)
// Measured first, while memory is empty.
const time = flags.includes('--no-time') ? undefined : await timeOfMany()

const given = flags.includes('--embedder') ? flags[flags.indexOf('--embedder') + 1] : undefined
const names = given === undefined ? known : [given]
const embedders = flags.includes('--words') ? [] : (await Promise.all(names.map(installed))).flat()

if (flags.includes('--errors')) {
  for (const embedder of [undefined, ...embedders]) await showErrors(embedder)
}

const rows: Row[] = [...(await rowsOf('words', undefined))]
for (const embedder of embedders) rows.push(...(await rowsOf(`words and ${embedder.id}`, embedder)))

const figure = (value: number) => value.toFixed(3)
console.log(
  table(
    [
      'by',
      'part',
      'precision',
      'recall',
      'strict recall',
      'pairs: precision',
      'recall',
      'related',
      'largest family',
    ],
    rows.map(({ method, part, pairs, clusters, whole, related, largestFamily, recurring }) => [
      method,
      part,
      ...[clusters.precision, clusters.recall, whole, pairs.precision, pairs.recall, related].map(figure),
      `${largestFamily} of ${Math.round(recurring)}`,
    ]),
  ),
)
const size = labelledSet(1).labels.size
console.log(
  `\n${count(size)} requests per set, ${seeds.length} sets; words and thresholds are tuned on the tuned part only.`,
)
for (const { method, clusters, whole } of rows.filter(({ part }) => part === 'held-out')) {
  const isPrecise = clusters.precision >= wanted.precision
  console.log(
    `Held out, ${method}: precision ${wanted.precision} and recall ${wanted.recall}: ${met(isPrecise && clusters.recall >= wanted.recall)}; ` +
      `by the strict reading of recall: ${met(isPrecise && whole >= wanted.recall)}`,
  )
}

const corpora = await Promise.all(styles.map(corpusRow))
console.log(
  `\n${table(
    ['style', 'intents', 'recall', 'precision', 'reference: recall', 'precision'],
    corpora.map(({ style, ours, reference }) => [
      style,
      String(ours.intents),
      ...[ours.recall, ours.precision, reference.recall, reference.precision].map(figure),
    ]),
  )}`,
)
const unseen = corpora.find(({ style }) => style === 'held-out')?.ours
console.log(
  `Held-out style, without a model: recall 0.7 at precision 0.8: ${met(unseen !== undefined && unseen.recall >= 0.7 && unseen.precision >= 0.8)}`,
)

if (time !== undefined) {
  const { requests, clusters, seconds, megabytes } = time
  const inTime = seconds < wanted.seconds && megabytes < wanted.megabytes
  console.log(
    `${count(requests)} requests by words: ${count(clusters)} clusters in ${seconds.toFixed(1)} s, ${count(megabytes)} MB: ${met(inTime)}`,
  )
}
saveResult('mining', { rows, corpora, time })
