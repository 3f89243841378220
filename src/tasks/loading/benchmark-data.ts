import type { SplitCounts } from '../../core/statistics/random.js'
import type { PlacedItem } from './data.js'

type Fields = Readonly<Record<string, unknown>>

/**
 * A published benchmark for `skillopt data`. The environment's file `data.ts` exports it as `data`; its id is
 * the folder's name.
 */
export interface BenchmarkData extends BenchmarkFacts {
  /** Reads the items of a published copy: a file, or a folder with the publisher's file names. */
  readRelease(path: string): Promise<readonly PlacedItem[]>
  /** Converts published fields, including `id`, to the names and forms that the environment reads. */
  toItem(item: PlacedItem): Fields
  /**
   * Creates a check that throws an `InputError` for items that the environment would reject, also because of
   * their files.
   */
  inspector(places: FilePlaces): Promise<(item: PlacedItem) => unknown>
  /** Options that tell the environment where the items' files are; absent if items have no files. */
  fileOptions?(places: FilePlaces): Promise<Readonly<Record<string, string>>>
  /** Name of the field by which a manifest identifies an item; by default, `id`. */
  readonly manifestField?: string
}

/** Facts about a benchmark for display; all of them are JSON values. */
export interface BenchmarkFacts {
  readonly name: string
  /** The agent's task, in one sentence. */
  readonly about: string
  readonly published: readonly { readonly what: string; readonly address: string }[]
  readonly licence: string
  /** Files and fields that a copy must have, one sentence each. */
  readonly needs: readonly string[]
  /** Names and sizes of the published releases. */
  readonly releases: readonly { readonly name: string; readonly items: number }[]
  /** Sizes of the splits for which the Python SkillOpt reports results. */
  readonly splits: SplitCounts
}

export interface FilePlaces {
  /** The folder of the published copy. */
  readonly folder: string
  /** Folder with images, spreadsheets, documents or games, if the user named one. */
  readonly files?: string | undefined
}
