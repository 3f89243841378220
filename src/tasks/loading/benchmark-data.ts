import type { SplitCounts } from '../../core/statistics/random.js'
import type { PlacedItem } from './data.js'

type Fields = Readonly<Record<string, unknown>>

/**
 * Support for a published benchmark in `skillopt data`: the environment's file `data.ts` exports it as
 * `data`, and the folder's name is its id.
 */
export interface BenchmarkData extends BenchmarkFacts {
  /** Reads the items of a published copy: a file, or a folder with the publisher's file names. */
  readRelease(path: string): Promise<readonly PlacedItem[]>
  /** Converts published fields, including `id`, to the names and forms that the environment reads. */
  toItem(item: PlacedItem): Fields
  /**
   * Creates a check that rejects items like the environment does, including their files, by throwing
   * `InputError`.
   */
  inspector(places: FilePlaces): Promise<(item: PlacedItem) => unknown>
  /** The environment options that locate the items' files; absent if items have no files. */
  fileOptions?(places: FilePlaces): Promise<Readonly<Record<string, string>>>
  /** The field by which a manifest identifies an item; defaults to `id`. */
  readonly manifestField?: string
}

/** Facts to display; all are JSON values. */
export interface BenchmarkFacts {
  readonly name: string
  /** The agent's task, in one sentence. */
  readonly about: string
  readonly published: readonly { readonly what: string; readonly address: string }[]
  readonly licence: string
  /** The files and fields of a copy, one sentence each. */
  readonly needs: readonly string[]
  /** Number of items in each published release, by its name. */
  readonly releases: readonly { readonly name: string; readonly items: number }[]
  /** The splits for which the Python SkillOpt reports results. */
  readonly splits: SplitCounts
}

export interface FilePlaces {
  /** The folder of the copy. */
  readonly folder: string
  /** Folder of images, spreadsheets, documents or games, if given. */
  readonly files?: string | undefined
}
