import { z } from 'zod'
import type { JsonObject } from './protocol.js'
import { functionTool } from './reading.js'

/** Tools of the Responses API. Some have a namespace, some take text, and some run at the vendor. */

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

/** Flattens namespaces into a list of tools, each with the name of its namespace. */
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

/**
 * The name by which a model calls a tool. It joins namespace and name with two underscores, as agents do for
 * tools from tool servers.
 */
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

/** Finds the tool that a model calls by this name. A tool that was not declared keeps the name. */
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
