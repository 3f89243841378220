import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Price } from '../core/ports/model.js'

const entry = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cachedInput: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
  /** When the figure was looked up, and where. */
  date: z.iso.date(),
  source: z.url(),
  note: z.string().optional(),
})
export type PriceEntry = z.output<typeof entry>

let table: Readonly<Record<string, PriceEntry>> | undefined

export function priceTable(): Readonly<Record<string, PriceEntry>> {
  table ??= z
    .record(z.string(), entry)
    .parse(JSON.parse(readFileSync(new URL('./prices.json', import.meta.url), 'utf8')))
  return table
}

/** The models of paid providers that are known here, as `provider/model`. There are others. */
export function knownModels(): readonly string[] {
  return Object.keys(priceTable())
}

/** What the table has on `provider/model`, with its date and source. */
export function priceEntry(modelId: string): PriceEntry | undefined {
  const prices = priceTable()
  // Snapshots cost what their model does: gpt-5-mini-2025-08-07, claude-haiku-4-5-20251001.
  return prices[modelId] ?? prices[modelId.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, '')]
}

/** US dollars per million tokens of `provider/model`; undefined is unknown, and shown as such. */
export function priceOf(modelId: string): Price | undefined {
  const found = priceEntry(modelId)
  if (found === undefined) return undefined
  const { input, output, cachedInput, cacheWrite } = found
  return { input, output, cachedInput, cacheWrite }
}
