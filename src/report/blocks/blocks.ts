import type { Markup } from './markup.js'

/** A format-independent section of a report; Markdown and HTML render the same sections. */
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

/** A chart that is drawn twice, for desktop and phone widths, since scaled-down text is unreadable. */
export interface Chart {
  readonly kind: 'chart'
  readonly title: string
  /** Text alternative for screen readers. */
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
  /** The mark as drawn in the plot, in a 16 by 12 box. */
  readonly mark: Markup
}

export interface Table {
  readonly kind: 'table'
  readonly caption: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** Indices of right-aligned (numeric) columns. */
  readonly right?: readonly number[]
}

export interface DiffLine {
  readonly change: 'same' | 'added' | 'removed' | 'gap'
  readonly text: string
  /** Where the line comes from; empty if that is obvious. */
  readonly origin: string
}
