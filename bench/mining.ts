import { pathToFileURL } from 'node:url'
import { clusterRequests } from '../src/mining/clusters.js'
import type { Embedder } from '../src/mining/embedded.js'
import { type Recurrence, recurrences } from '../src/mining/recurrence.js'
import { requestsOf } from '../src/mining/requests.js'
import { mean } from './figures.js'
import { labelsOf, type Quality, qualityOf } from './mining-quality.js'
import { type Half, type LabelledSet, labelledSet } from './mining-set.js'
import { timeOfMany } from './mining-time.js'
import { count, met, saveResult, table } from './table.js'

/**
 * How well requests that come back are recognised, and how fast: `mining [--embedder FILE] [--errors] [--no-time]`. FILE is
 * a module that exports an `embedder`. `--errors` shows what went wrong on the tuned half; of the held-out half nothing
 * is shown but the figures, so that nobody tunes on it.
 */

const seeds = [1, 2, 3, 4, 5]
const wanted = { precision: 0.9, recall: 0.8 }
const halves: readonly Half[] = ['tuned', 'held-out']

async function measure(set: LabelledSet, embedder: Embedder | undefined): Promise<readonly Recurrence[]> {
  return recurrences(await clusterRequests(set.transcripts.flatMap(requestsOf), embedder))
}

interface Row extends Quality {
  readonly method: string
  readonly half: Half
}

/** Other seeds fill in other files and names, misspell other words and deal other sessions; the wordings stay. */
async function rowsOf(method: string, embedder: Embedder | undefined): Promise<readonly Row[]> {
  const sets = seeds.map(labelledSet)
  const found = await Promise.all(sets.map(set => measure(set, embedder)))
  return halves.map(half => {
    const all = sets.map((set, index) => qualityOf(found[index] ?? [], set, half))
    const average = (part: 'pairs' | 'clusters') => ({
      precision: mean(all.map(quality => quality[part].precision)),
      recall: mean(all.map(quality => quality[part].recall)),
    })
    return {
      method,
      half,
      pairs: average('pairs'),
      clusters: average('clusters'),
      whole: mean(all.map(quality => quality.whole)),
    }
  })
}

async function showErrors(embedder: Embedder | undefined): Promise<void> {
  const set = labelledSet(1)
  for (const { requests, isRecurring, score } of await measure(set, embedder)) {
    const labels = labelsOf(requests, set)
    if (!labels.some(({ half }) => half === 'tuned')) continue
    const isRight = new Set(labels.map(({ name }) => name)).size === 1 && labels.length > 6
    if (isRight || (labels.every(label => !label.isRecurring) && !isRecurring)) continue
    console.log(`\n${isRecurring ? 'recurring' : 'one-off'} (${score}):`)
    for (const [index, { text }] of requests.entries()) {
      const label = labels[index]
      const shown = label?.half === 'tuned' ? `${label.name}: ${text}` : 'one of the held-out half'
      console.log(`  ${shown}`)
    }
  }
}

const given = process.argv.slice(2)
const file = given.includes('--embedder') ? given[given.indexOf('--embedder') + 1] : undefined
const embedder =
  file === undefined
    ? undefined
    : ((await import(pathToFileURL(file).href)) as { readonly embedder: Embedder }).embedder

if (given.includes('--errors')) await showErrors(embedder)

const rows = [
  ...(await rowsOf('words', undefined)),
  ...(embedder === undefined ? [] : await rowsOf(embedder.id, embedder)),
]
const figure = (value: number) => value.toFixed(3)
console.log(
  table(
    ['by', 'half', 'pairs: precision', 'recall', 'clusters: precision', 'recall', 'whole'],
    rows.map(({ method, half, pairs, clusters, whole }) => [
      method,
      half,
      ...[pairs.precision, pairs.recall, clusters.precision, clusters.recall, whole].map(figure),
    ]),
  ),
)
const size = labelledSet(1).labels.size
console.log(
  `\n${count(size)} requests per set, ${seeds.length} sets; words are tuned on the tuned half only.`,
)
const reached = rows
  .filter(({ half }) => half === 'held-out')
  .some(({ clusters }) => clusters.precision >= wanted.precision && clusters.recall >= wanted.recall)
console.log(`Clusters of the held-out half, ${wanted.precision} / ${wanted.recall}: ${met(reached)}`)

const time = given.includes('--no-time') ? undefined : await timeOfMany()
if (time !== undefined) {
  const { requests, clusters, seconds, megabytes } = time
  const inTime = seconds < 60 && megabytes < 1024
  console.log(
    `${count(requests)} requests by words: ${count(clusters)} clusters in ${seconds.toFixed(1)} s, ${count(megabytes)} MB: ${met(inTime)}`,
  )
}
saveResult('mining', { rows, time })
