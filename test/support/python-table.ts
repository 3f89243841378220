import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const cell = z.union([
  z.object({ kind: z.literal('empty') }),
  z.object({ kind: z.literal('number'), value: z.number() }),
  z.object({ kind: z.literal('boolean'), value: z.boolean() }),
  z.object({ kind: z.enum(['text', 'error']), value: z.string() }),
  z.object({ kind: z.enum(['date', 'time', 'duration']), milliseconds: z.number() }),
])

const normalised = z.union([
  z.tuple([z.literal('number'), z.string()]),
  z.tuple([z.literal('text'), z.string()]),
  z.tuple([z.literal('duration'), z.number()]),
])

const schema = z.object({
  untouched: z.record(z.string(), z.array(z.object({ passed: z.boolean(), wrong: z.array(z.string()) }))),
  read: z.record(z.string(), z.record(z.string(), z.record(z.string(), normalised))),
  floats: z.array(z.tuple([z.string(), z.string().nullable()])),
  rounds: z.array(z.tuple([z.string(), z.string(), z.string()])),
  cells: z.array(cell),
  same: z.array(z.string()),
})

export const workbookFolder = fileURLToPath(new URL('../fixtures/workbooks', import.meta.url))

/**
 * Results of CPython and openpyxl for the same numbers, cells and workbooks; its note says how it was made.
 */
export const pythonTable = schema.parse(JSON.parse(readFileSync(`${workbookFolder}/python.json`, 'utf8')))

/** Parses a number in Python's notation. */
export function fromRepr(text: string): number {
  return Number(text.replace('inf', 'Infinity'))
}
