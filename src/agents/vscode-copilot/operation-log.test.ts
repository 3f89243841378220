import { describe, expect, it } from 'vitest'
import { createOperationLog, type Shape } from './operation-log.js'

const text: Shape = value => (typeof value === 'string' ? value : undefined)
const shape: Shape = {
  fields: { name: text, items: { each: { fields: { text, parts: { each: text } } } } },
}

function folded(...operations: readonly Record<string, unknown>[]) {
  const log = createOperationLog(shape)
  const outcomes = operations.map(operation => log.apply(operation))
  return { outcomes, state: log.state() }
}
const all = (v: unknown) => ({ kind: 0, v })
const set = (k: unknown, v: unknown) => ({ kind: 1, k, v })
const add = (k: unknown, v: unknown, i?: unknown) => ({ kind: 2, k, v, ...(i === undefined ? {} : { i }) })
const remove = (k: unknown) => ({ kind: 3, k })

describe('a log of operations', () => {
  it('yields the last value of each path', () => {
    const { outcomes, state } = folded(
      all({ name: 'a', items: [{ text: 'one', parts: ['x'] }], other: 1 }),
      set(['name'], 'b'),
      add(['items'], [{ text: 'two', parts: [] }]),
      add(['items', 1, 'parts'], ['p', 'q', 'r']),
      add(['items', 1, 'parts'], ['s'], 1),
      set(['items', 0], { text: 'first' }),
      remove(['items', 0, 'text']),
    )
    expect(state).toEqual({ name: 'b', items: [{}, { text: 'two', parts: ['p', 's'] }] })
    expect(outcomes.every(outcome => outcome === 'done')).toBe(true)
  })

  it('cuts a list without adding to it, and not behind its end', () => {
    const { state } = folded(
      all({ items: [{ text: 'a' }, { text: 'b' }] }),
      add(['items'], undefined, 1),
      add(['items'], [{ text: 'c' }], 4_000_000_000),
    )
    expect(state).toEqual({ items: [{ text: 'a' }, { text: 'c' }] })
  })

  it('is replaced by a snapshot, whatever came before', () => {
    expect(folded(all(7), add(['items'], 'x'), all({ name: 'a' })).state).toEqual({ name: 'a' })
  })

  it('yields later changes if its beginning is lost', () => {
    const { outcomes, state } = folded(set(['items', 0, 'text'], 'x'), add(['items'], [{ text: 'a' }]))
    expect(outcomes).toEqual(['misfit', 'done'])
    expect(state).toEqual({ items: [{ text: 'a' }] })
  })

  it('follows no name that it does not know', () => {
    const path = (...names: unknown[]) => set(names, { polluted: true })
    const { outcomes, state } = folded(
      all(JSON.parse('{"name":"a","items":[],"__proto__":{"polluted":true}}')),
      ...[path('__proto__'), path('constructor', 'prototype'), path('items', '__proto__')],
      ...[path('items', 'constructor'), path('items', 'length'), path('toString'), path('name', 0)],
      ...[path(), { kind: 1, v: 1 }, set('name', 'x'), add(['__proto__'], [1]), remove(['__proto__'])],
    )
    expect(state).toEqual({ name: 'a', items: [] })
    expect(new Set(outcomes.slice(1))).toEqual(new Set(['passed']))
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('makes no gaps, however high an index is', () => {
    const before = all({ items: [{ text: 'a' }] })
    const indexes = [2, 4_294_967_294, 2 ** 40, -1, 0.5, '0', null]
    const { outcomes, state } = folded(before, ...indexes.map(index => set(['items', index], { text: 'b' })))
    expect(state).toEqual({ items: [{ text: 'a' }] })
    expect(outcomes.slice(1)).toEqual(['misfit', 'misfit', 'misfit', 'passed', 'passed', 'passed', 'passed'])
  })

  it('looks at no more of a path than it knows', () => {
    let looks = 0
    const get = (path: object, name: string | symbol) => {
      looks += 1
      return Reflect.get(path, name)
    }
    const path = new Proxy(['items', ...Array.from({ length: 1_000_000 }, () => 0)], { get })
    expect(folded(all({ items: [{ text: 'a' }] }), set(path, 1)).outcomes).toEqual(['done', 'passed'])
    expect(looks).toBeLessThan(20)
  })

  it('keeps no more than fits, but what replaces the rest', () => {
    const long = 'x'.repeat(9_000_000)
    const many = Array.from({ length: 20 }, () => set(['name'], long))
    expect(folded(...many).outcomes).not.toContain('no-room')
    const { outcomes, state } = folded(...Array.from({ length: 5 }, () => add(['items'], [{ text: long }])))
    expect(outcomes).toEqual(['done', 'done', 'done', 'no-room', 'no-room'])
    expect((state as { items: unknown[] }).items).toHaveLength(3)
    expect(folded(add(['items'], Array(60_000).fill({}))).outcomes).toEqual(['no-room'])
  })

  it('does not know other operations', () => {
    expect(folded({ kind: 4 }, { kind: '1' }, {}).outcomes).toEqual(['unknown', 'unknown', 'unknown'])
  })
})
