import type { Markup } from './markup.js'

/** What a report says, before it is Markdown or HTML: both are renderings of the same sections. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly blocks: readonly Block[]
}

export type Tone = 'good' | 'bad' | 'unsure' | 'calm'

export type Cell = string | { readonly text: string; readonly tone?: Tone; readonly code?: boolean }

export type Block =
  | { readonly kind: 'text'; readonly text: string; readonly tone?: Tone }
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  | Chart
  | Table
  | { readonly kind: 'diff'; readonly lines: readonly DiffLine[] }
  | { readonly kind: 'folded'; readonly title: string; readonly blocks: readonly Block[] }

export interface Fact {
  readonly label: string
  readonly value: string
  readonly note?: string
  readonly tone?: Tone
}

/** Drawn twice, for a desk and for a phone, since text that is scaled down cannot be read. */
export interface Chart {
  readonly kind: 'chart'
  readonly title: string
  /** What it shows, for those who do not see it. */
  readonly description: string
  readonly legend: readonly LegendEntry[]
  draw(width: number): Drawing
}

export interface Drawing {
  readonly width: number
  readonly height: number
  readonly content: Markup
}

export interface LegendEntry {
  readonly name: string
  /** The mark as it stands in the plot, in a box of 16 by 12. */
  readonly mark: Markup
}

export interface Table {
  readonly kind: 'table'
  readonly caption: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** Columns of figures. */
  readonly right?: readonly number[]
}

export interface DiffLine {
  readonly change: 'same' | 'added' | 'removed' | 'gap'
  readonly text: string
  /** Where the line came from; empty where that goes without saying. */
  readonly origin: string
}
