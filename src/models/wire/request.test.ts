import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isStrict } from './request.js'

describe('isStrict', () => {
  it('takes closed objects with every field required', () => {
    const schema = z.strictObject({ a: z.string(), b: z.array(z.strictObject({ c: z.number() })) })
    expect(isStrict(z.toJSONSchema(schema))).toBe(true)
  })

  it.each([
    ['an optional field', z.strictObject({ a: z.string().optional() })],
    ['an open object', z.looseObject({ a: z.string() })],
    [
      'an optional field inside a list',
      z.strictObject({ a: z.array(z.strictObject({ b: z.string().optional() })) }),
    ],
    ['a record', z.strictObject({ a: z.record(z.string(), z.string()) })],
  ])('does not take %s', (_name, schema) => {
    expect(isStrict(z.toJSONSchema(schema))).toBe(false)
  })
})
