import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ModelReply } from '../ports/model.js'
import { askForJson, parseJson, wireSchema } from './json-reply.js'

describe('parseJson', () => {
  it('finds no object in prose', () => {
    expect(parseJson('there is nothing here')).toEqual({ ok: false, problem: 'it holds no JSON object' })
  })

  it('leaves valid JSON unrepaired', () => {
    expect(parseJson('{"text": "it\\u0027s {fine}, // really"}')).toEqual({
      ok: true,
      value: { text: "it's {fine}, // really" },
    })
  })

  it('repairs an object without an end, and ignores a brace before it', () => {
    expect(parseJson('Here: {"value": [1, 2')).toEqual({ ok: true, value: { value: [1, 2] } })
    expect(parseJson('} {"value": 1')).toEqual({ ok: true, value: { value: 1 } })
  })

  it('says what is wrong with text that cannot be mended', () => {
    const answer = parseJson('{"one": 1} {"two": {}')
    expect(answer).toEqual({ ok: false, problem: expect.stringMatching(/^it is not valid JSON \(.+\)$/) })
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
    expect(wire).not.toHaveProperty('$schema')
    check(wire)
  })

  it('leaves alone what is no object, and objects of any keys', () => {
    const loose = wireSchema(z.object({ words: z.array(z.string()), any: z.record(z.string(), z.number()) }))
    const { words, any } = loose.properties as Record<string, object>
    expect(words).toEqual({ type: 'array', items: { type: 'string' } })
    expect(any).not.toHaveProperty('required')
    expect(any).toMatchObject({ additionalProperties: { type: 'number' } })
  })
})

describe('askForJson', () => {
  const schema = z.object({ value: z.object({ deep: z.number() }) })

  /** The problem that the model is told about an unusable reply. */
  async function problemWith(reply: Partial<ModelReply>, given: z.ZodType = schema): Promise<string> {
    const problems: string[] = []
    await askForJson({
      messages: [],
      schema: given,
      repair: problem => {
        problems.push(problem)
        return problem
      },
      call: async () => ({ text: '', stop: 'stop', usage: {}, ...reply }),
    })
    return problems.join(' / ')
  }

  it.each([
    [{ stop: 'length', text: '{"value": {"deep": 1}}' }, 'it was cut off at the output limit'],
    [{ stop: 'content-filter', text: '{"value": {"deep": 1}}' }, 'the provider filtered it'],
    [{ stop: 'context-overflow', text: '{"value": {"deep": 1}}' }, 'the prompt is too long for the model'],
    [{ text: 'no' }, 'it holds no JSON object'],
    [{ text: '{"value": {"deep": 1}}' }, ''],
  ] as const)('says of %j: %s', async (reply, problem) => {
    expect(await problemWith(reply)).toBe(problem)
  })

  it('reports where a reply violates the schema', async () => {
    expect(await problemWith({ text: '{"value": {"deep": "1"}}' })).toMatch(
      /^"value\.deep" is not as asked for: ./,
    )
    const whole = z.object({}).refine(() => false, { error: 'it is never right' })
    expect(await problemWith({ text: '{}' }, whole)).toBe('the object is not as asked for: it is never right')
  })
})
