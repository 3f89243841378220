import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parseJson, wireSchema } from './json-reply.js'

describe('parseJson', () => {
  it('finds no object in prose', () => {
    expect(parseJson('there is nothing here')).toMatchObject({ ok: false })
  })
})

describe('wireSchema', () => {
  it('asks for every property and for no others, at every depth', () => {
    const check = (node: unknown): void => {
      if (node === null || typeof node !== 'object') return
      const object = node as {
        type?: unknown
        properties?: object
        required?: string[]
        additionalProperties?: unknown
      }
      if (object.properties !== undefined) {
        expect(object.required?.toSorted()).toEqual(Object.keys(object.properties).toSorted())
        expect(object.additionalProperties).toBe(false)
      }
      for (const inner of Object.values(node)) check(inner)
    }
    const wire = wireSchema(
      z.object({
        note: z.string().nullish(),
        patch: z.object({ edits: z.array(z.object({ op: z.string() })) }),
      }),
    )
    expect(wire.properties).toHaveProperty('patch')
    check(wire)
  })
})
