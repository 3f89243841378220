import { canonicalJson, contentHash } from '../../core/text/hash.js'
import type { SleepTask } from '../model/sleep-task.js'
import type { Embedder } from './embedded.js'
import { leastAlike, likeness, related } from './families.js'

/** What may not teach, because what is held out would be given away. */

/** All that is known of what a task asks. */
export const textsOf = ({ intent, examples }: SleepTask): readonly string[] => [
  intent,
  ...examples.map(({ text }) => text),
]

export const isHeldOut = ({ split }: SleepTask): boolean => split === 'val' || split === 'test'

/** Looks at what was made of a task before it may teach. */
export interface VariantGuard {
  /** Another one where other tasks are held out: what was found then has to be found again. */
  readonly key: string
  /** For each variant what speaks against it, if anything does. */
  problems(source: SleepTask, variants: readonly string[]): Promise<readonly (string | undefined)[]>
}

/**
 * A variant may be near to no task that measures, by the likeness that makes families; and what has nothing in common
 * with the task that it was made of asks for something else, so that the task's rubric could not judge it.
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
        const near = heldOut.find(task => alike(id, taskItem(task.id)) >= related)
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

/** The same tasks are compared for each one that dreams: their vectors are made once. */
function withMemory(embedder: Embedder): Embedder {
  const known = new Map<string, Float32Array>()
  return {
    ...embedder,
    async embed(texts) {
      const missing = [...new Set(texts)].filter(text => !known.has(text))
      const vectors = missing.length === 0 ? [] : await embedder.embed(missing)
      // One vector too few or too many is for whoever asked to see.
      if (vectors.length !== missing.length) return vectors
      for (const [index, vector] of vectors.entries()) known.set(missing[index] ?? '', vector)
      return texts.flatMap(text => known.get(text) ?? [])
    },
  }
}
