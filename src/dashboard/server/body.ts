import type { Context } from 'hono'
import type { z } from 'zod'
import { InputError } from '../../core/errors/errors.js'

/** Parses and validates the JSON body of a POST. Unknown fields are rejected. */
export async function readBody<T>(c: Context, schema: z.ZodType<T>): Promise<T> {
  const result = schema.safeParse(await jsonOf(c))
  if (result.success) return result.data
  const problems = result.error.issues.map(({ path, message }) => [...path.map(String), message].join(': '))
  throw new InputError(`The request cannot be used: ${problems.join('; ')}.`)
}

async function jsonOf(c: Context): Promise<unknown> {
  const text = await c.req.text()
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new InputError('The request cannot be used: its body is not JSON.', { cause: error })
  }
}
