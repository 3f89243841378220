import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Price } from '../core/ports/model.js'

const entry = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cachedInput: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
  /** Date and source of the price. */
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

/** Models of paid providers with a known price, as `provider/model`. The list is not complete. */
export function knownModels(): readonly string[] {
  return Object.keys(priceTable())
}

/** Table entry for `provider/model`, with its date and source. */
export function priceEntry(modelId: string): PriceEntry | undefined {
  const prices = priceTable()
  // Dated snapshots cost the same as their model: gpt-5-mini-2025-08-07, claude-haiku-4-5-20251001.
  return prices[modelId] ?? prices[modelId.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, '')]
}

/** US dollars per million tokens of `provider/model`; undefined if unknown, and shown as unknown. */
export function priceOf(modelId: string): Price | undefined {
  const found = priceEntry(modelId)
  if (found === undefined) return undefined
  const { input, output, cachedInput, cacheWrite } = found
  return { input, output, cachedInput, cacheWrite }
}
