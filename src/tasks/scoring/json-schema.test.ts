import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { InputError } from '../../core/errors/errors.js'
import { chooseScorer } from './index.js'

const invoice = {
  type: 'object',
  properties: {
    total: { type: 'number', minimum: 0 },
    state: { enum: ['open', 'paid'] },
    lines: { type: 'array', items: { type: 'string' }, minItems: 1 },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: ['total'],
  additionalProperties: false,
}

function score(schema: unknown, answer: string) {
  return chooseScorer('json-schema').score(
    { schema },
    { messages: [], answer, stop: 'answered' },
    scoreContext,
  )
}

describe('json-schema', () => {
  it.each([
    ['{"total": 5}', 1],
    ['Here:\n```json\n{"total": 5, "state": "open", "lines": ["pen"], "note": null}\n```', 1],
    ['<answer>{"total": 5}</answer>', 1],
    ['{"total": -5}', 0],
    ['{"total": "5"}', 0],
    ['{"total": 5, "state": "lost"}', 0],
    ['{"total": 5, "lines": []}', 0],
    ['{"total": 5, "note": 3}', 0],
    ['{"total": 5, "tax": 1}', 0],
    ['{}', 0],
    ['[]', 0],
    ['total: 5', 0],
    ['', 0],
  ])('%s', async (answer, hard) => {
    expect(await score(invoice, answer)).toMatchObject({ hard, soft: hard })
    expect(await score(JSON.stringify(invoice), answer)).toMatchObject({ hard, soft: hard })
    const forAll = chooseScorer({ name: 'json-schema', schema: invoice })
    expect(forAll.problem({})).toBeUndefined()
    expect(await forAll.score({}, { messages: [], answer, stop: 'answered' }, scoreContext)).toMatchObject({
      hard,
      soft: hard,
    })
  })

  it('follows references', async () => {
    const tree = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } },
          required: ['children'],
        },
      },
    }
    expect((await score(tree, '{"children": [{"children": []}]}')).hard).toBe(1)
    expect((await score(tree, '{"children": [{}]}')).hard).toBe(0)
  })

  it('says what does not fit, and where', async () => {
    const { feedback } = await score(invoice, '{"total": "5", "lines": [1], "note": 3, "tax": 1}')
    expect(feedback).toContain('The answer is JSON, but does not fit the schema.')
    expect(feedback).toContain('total: Invalid input: expected number, received string.')
    expect(feedback).toContain('lines[0]: Invalid input: expected string, received number.')
    expect(feedback).toContain('note: none of the allowed forms fits (')
    expect(feedback).toContain('the answer: Unrecognized key: "tax".')
    expect((await score(invoice, '{total: 5}')).feedback).toMatch(
      /^The answer is not valid JSON: .*"\{total: 5\}"/,
    )
    expect((await score(invoice, '')).feedback).toBe('There is no answer, where JSON was expected.')
    expect((await score(invoice, '{"total": 5}')).feedback).toBe(
      'Correct: the answer is JSON that fits the schema.',
    )
  })

  it.each([
    [undefined, 'has no JSON Schema in "schema"'],
    ['{', 'it is not JSON'],
    [5, 'it is not an object'],
    [{}, 'it allows anything'],
    [{ title: 'An invoice', $defs: { a: { type: 'string' } } }, 'it allows anything'],
    [{ type: 'object', required: ['b'] }, 'at its top it requires "b", which is not among its "properties"'],
    [
      { type: 'object', properties: { a: { type: 'string', default: 'x' } }, required: ['a'] },
      'at properties.a it has a "default"',
    ],
    [{ $ref: '#/$defs/a', $defs: { a: { type: 'string' } }, minLength: 5 }, '"minLength" beside "$ref"'],
    [{ type: 'object', dependencies: { a: ['b'] } }, 'it has "dependencies"'],
    [{ type: 'objct' }, 'Unsupported type: objct'],
    [{ $ref: '#/$defs/nothing' }, 'Reference not found'],
    [{ not: { type: 'string' } }, 'not is not supported'],
    [{ properties: { a: { type: 'string' } } }, 'at its top it has "properties" without "type": "object"'],
    [
      { type: 'object', properties: { a: { minimum: 1 } } },
      'at properties.a it has "minimum" without "type": "number"',
    ],
    [
      { type: 'array', items: { anyOf: [{ type: 'null' }, { pattern: 'x' }] } },
      'at items.anyOf.1 it has "pattern" without "type": "string"',
    ],
    [{ const: { a: 1 } }, 'which only the scorer json-equal can'],
  ])('refuses the schema %j', (schema, problem) => {
    expect(chooseScorer('json-schema').problem({ schema })).toContain(problem)
  })

  it('refuses such a schema in the options as well', () => {
    const choose = () => chooseScorer({ name: 'json-schema', schema: { type: 'objct' } })
    expect(choose).toThrow(InputError)
    expect(choose).toThrow('its options have a schema that cannot be used: Unsupported type: objct.')
  })

  it('takes a property of any value', () => {
    expect(
      chooseScorer('json-schema').problem({ schema: { type: 'object', properties: { a: {} } } }),
    ).toBeUndefined()
  })
})
