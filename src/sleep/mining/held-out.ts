import { canonicalJson, contentHash } from '../../core/text/hash.js'
import type { SleepTask } from '../model/sleep-task.js'
import type { Embedder } from './embedded.js'
import { leastAlike, likeness, related } from './families.js'
import { isSameRequest, wordSet } from './same-request.js'

/** Keeps variants of tasks out of training if they would leak held-out tasks. */

/** All known texts of a task's request. */
export const textsOf = ({ intent, examples }: SleepTask): readonly string[] => [
  intent,
  ...examples.map(({ text }) => text),
]

export const isHeldOut = ({ split }: SleepTask): boolean => split === 'val' || split === 'test'

/** Checks variants of tasks before they are used for training. */
export interface VariantGuard {
  /** Changes when the held-out tasks change, so that stored results are recomputed. */
  readonly key: string
  /** Returns for each variant the reason to reject it, or undefined. */
  problems(source: SleepTask, variants: readonly string[]): Promise<readonly (string | undefined)[]>
}

/**
 * Rejects variants that could leak held-out tasks. A variant must not be related to a task in the test split,
 * by the similarity that defines families, and must not repeat a held-out example of any task. It must also
 * share something with its source task, because that task's rubric judges it.
 */
export function variantGuard(tasks: readonly SleepTask[], embedder?: Embedder): VariantGuard {
  const heldOut = tasks.filter(isHeldOut)
  const remembering = embedder === undefined ? undefined : withMemory(embedder)
  const items = tasks.map(task => ({ id: taskItem(task.id), texts: textsOf(task) }))
  return {
    key: contentHash(canonicalJson(heldOut.map(task => [task.id, textsOf(task)]))).slice(0, 16),
    async problems(source, variants) {
      const made = variants.map((text, index) => ({ id: variantItem(index), texts: [text] }))
      const alike = await likeness(
        [
          ...items.filter(({ id }) => id !== taskItem(source.id)),
          { id: taskItem(source.id), texts: textsOf(source) },
          ...made,
        ],
        remembering,
      )
      return made.map(({ id }) => {
        const words = wordSet(variants[variantOf(id)] ?? '')
        const repeats = (text: string) => isSameRequest(words, wordSet(text))
        const near = heldOut.find(task =>
          task.partOf === undefined
            ? alike(id, taskItem(task.id)) >= related
            : task.examples.some(({ text }) => repeats(text)),
        )
        if (near !== undefined) return `it is near to the task "${near.id}", which is in ${near.split}`
        return alike(id, taskItem(source.id)) < leastAlike
          ? 'it has nothing in common with the task that it was made of'
          : undefined
      })
    },
  }
}

const taskItem = (id: string): string => `task ${id}`
const variantItem = (index: number): string => `variant ${index}`
const variantOf = (item: string): number => Number(item.split(' ')[1])

/** Caches vectors, because the same tasks are compared with the variants of every source task. */
function withMemory(embedder: Embedder): Embedder {
  const known = new Map<string, Float32Array>()
  return {
    ...embedder,
    async embed(texts) {
      const missing = [...new Set(texts)].filter(text => !known.has(text))
      const vectors = missing.length === 0 ? [] : await embedder.embed(missing)
      // The caller reports it if the embedder returned the wrong number of vectors.
      if (vectors.length !== missing.length) return vectors
      for (const [index, vector] of vectors.entries()) known.set(missing[index] ?? '', vector)
      return texts.flatMap(text => known.get(text) ?? [])
    },
  }
}
