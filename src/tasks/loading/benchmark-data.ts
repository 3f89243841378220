import type { SplitCounts } from '../../core/statistics/random.js'
import type { PlacedItem } from './data.js'

type Fields = Readonly<Record<string, unknown>>

/**
 * What `skillopt data` knows of a published benchmark: the environment's file `data.ts` exports one as `data`, and
 * the folder's name is its id.
 */
export interface BenchmarkData extends BenchmarkFacts {
  /** The items of a copy as it is published: a file, or a folder with the names that the publisher gives. */
  readRelease(path: string): Promise<readonly PlacedItem[]>
  /** The fields as the environment reads them, `id` among them; what is published may say the same in other words. */
  toItem(item: PlacedItem): Fields
  /** Makes a check that refuses an item as the environment would, for its files too: it throws `InputError`. */
  inspector(places: FilePlaces): Promise<(item: PlacedItem) => unknown>
  /** The options of the environment that say where the files of its items are; nothing if they have none. */
  fileOptions?(places: FilePlaces): Promise<Readonly<Record<string, string>>>
  /** The field by which a manifest names an item, where that is not `id`. */
  readonly manifestField?: string
}

/** Facts for people; all of it is JSON. */
export interface BenchmarkFacts {
  readonly name: string
  /** One sentence: what is asked of the agent. */
  readonly about: string
  readonly published: readonly { readonly what: string; readonly address: string }[]
  readonly licence: string
  /** What a copy consists of: files and fields, a sentence each. */
  readonly needs: readonly string[]
  /** How many items there are in what is published, by its name there. */
  readonly releases: readonly { readonly name: string; readonly items: number }[]
  /** The splits that the Python SkillOpt reports its figures on. */
  readonly splits: SplitCounts
}

export interface FilePlaces {
  /** The folder of the copy. */
  readonly folder: string
  /** Where images, spreadsheets, documents or games are, where that is said. */
  readonly files?: string | undefined
}
