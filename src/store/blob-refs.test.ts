import { expect, it } from 'vitest'
import { z } from 'zod'
import { type EventType, eventBodies, type RunEvent } from '../core/log/event.js'
import { blobRefsOf } from './blob-refs.js'

const blobPattern = '^[0-9a-f]{32}$'
type Schema = { pattern?: string; properties?: Record<string, Schema>; items?: Schema }

/** A body in which every field that the schema declares as a blob ref holds a different one. */
function bodyWithBlobs(schema: Schema, names: string[]): unknown {
  if (schema.pattern === blobPattern) {
    const name = names.length.toString(16).padStart(32, '0')
    names.push(name)
    return name
  }
  if (schema.items !== undefined) return [bodyWithBlobs(schema.items, names)]
  if (schema.properties === undefined) return undefined
  return Object.fromEntries(
    Object.entries(schema.properties).map(([key, inner]) => [key, bodyWithBlobs(inner, names)]),
  )
}

it.each(Object.keys(eventBodies) as EventType[])('knows every text that %s names', type => {
  const names: string[] = []
  const schema = z.toJSONSchema(eventBodies[type], { reused: 'inline' }) as Schema
  const body = bodyWithBlobs(schema, names)
  expect(blobRefsOf({ seq: 0, at: 0, type, body } as RunEvent).sort()).toEqual(names.sort())
})

it('looks at enough event types to mean something', () => {
  const schemas = Object.values(eventBodies).map(body => JSON.stringify(z.toJSONSchema(body)))
  expect(schemas.filter(schema => schema.includes('[0-9a-f]{32}')).length).toBeGreaterThanOrEqual(7)
})
