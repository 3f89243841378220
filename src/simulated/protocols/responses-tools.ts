import { z } from 'zod'
import type { JsonObject } from './protocol.js'
import { functionTool } from './reading.js'

/** Tools of the Responses API: some stand in a namespace, some take text in place of JSON, some run at the vendor's. */

const tool = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  description: z.string().nullish(),
  parameters: z.unknown().optional(),
})

/** The part of a request that holds its tools. */
export const toolsSchema = z.object({
  tools: z.array(tool.extend({ tools: z.array(tool).optional() })).nullish(),
})

type Tool = z.infer<typeof tool>
type Declared = z.infer<typeof toolsSchema>['tools']

interface PlacedTool {
  readonly tool: Tool
  readonly namespace?: string
}

/** Each tool by itself, with the namespace that it stands in. */
function placed(declared: Declared): PlacedTool[] {
  return (declared ?? []).flatMap(({ tools, ...outer }): PlacedTool[] =>
    outer.type !== 'namespace'
      ? [{ tool: outer }]
      : (tools ?? []).map(inner => ({
          tool: inner,
          ...(outer.name === undefined ? {} : { namespace: outer.name }),
        })),
  )
}

/** What a model calls a tool: with two underscores between, as agents name what comes from a server of tools. */
export function nameIn(namespace: string | null | undefined, name: string): string {
  return namespace === null || namespace === undefined ? name : `${namespace}__${name}`
}

export function chatTools(declared: Declared): unknown[] {
  return placed(declared).map(({ tool: one, namespace }) => {
    if (one.name === undefined) return one
    const name = nameIn(namespace, one.name)
    return one.type === 'function'
      ? functionTool(name, one.description ?? undefined, one.parameters)
      : { ...one, name }
  })
}

export interface CalledTool {
  readonly name: string
  readonly namespace?: string
  readonly takesText: boolean
}

/** The tool that a model means by this name; one that was never declared is called by it all the same. */
export function toolNamed(called: string, received: JsonObject): CalledTool {
  const { data } = toolsSchema.safeParse(received)
  const found = placed(data?.tools).find(one => nameIn(one.namespace, one.tool.name ?? '') === called)
  if (found === undefined) return { name: called, takesText: false }
  const { tool: one, namespace } = found
  return {
    name: one.name ?? called,
    takesText: one.type === 'custom',
    ...(namespace === undefined ? {} : { namespace }),
  }
}
