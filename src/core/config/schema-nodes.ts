import { z } from 'zod'
import { configSchema } from './config.js'

/** The subset of JSON Schema that zod emits for a config. */
export interface SchemaNode {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: boolean | SchemaNode
  readonly required?: readonly string[]
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
  readonly oneOf?: readonly SchemaNode[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minLength?: number
  readonly maxLength?: number
  /** Marks an option that does not affect results. */
  readonly mayChange?: boolean
}

export function schemaNode(schema: z.ZodType): SchemaNode {
  // The cast narrows the type of the JSON Schema draft to what zod emits. `unrepresentable` keeps a transform
  // in a user's schema from throwing.
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SchemaNode
}

export const configNode = schemaNode(configSchema)

const branchesOf = (node: SchemaNode): readonly SchemaNode[] => node.anyOf ?? node.oneOf ?? []

/** The part of a schema that lists keys: the node itself, or the branch of a union that is a section. */
export function sectionOf(node: SchemaNode | undefined): SchemaNode | undefined {
  if (node === undefined || node.properties !== undefined) return node
  return branchesOf(node).find(branch => branch.properties !== undefined)
}

export function nodeAt(root: SchemaNode, path: readonly PropertyKey[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = root
  for (const key of path) {
    if (typeof key === 'number') {
      node = node?.items ?? branchesOf(node ?? {}).find(branch => branch.items !== undefined)?.items
      continue
    }
    const section = sectionOf(node)
    const further = section?.additionalProperties
    node = section?.properties?.[String(key)] ?? (typeof further === 'object' ? further : undefined)
  }
  return node
}

export interface KnownPath {
  readonly path: readonly string[]
  readonly node: SchemaNode
}

/** Every key in the schema, including sections, in schema order. */
export function knownPaths(root: SchemaNode, prefix: readonly string[] = []): KnownPath[] {
  return Object.entries(sectionOf(root)?.properties ?? {}).flatMap(([key, node]) => {
    const path = [...prefix, key]
    return [{ path, node }, ...knownPaths(node, path)]
  })
}

/** Describes the expected value: "a whole number above 0", "one of hard, soft, mixed". */
export function expected(node: SchemaNode | undefined): string {
  if (node === undefined) return 'something else'
  const branches = branchesOf(node)
  if (branches.length > 0) return branches.map(expected).join(', or ')
  if (node.enum !== undefined) return `one of ${node.enum.join(', ')}`
  if (node.const !== undefined) return JSON.stringify(node.const)
  switch (node.type) {
    case 'boolean':
      return 'true or false'
    case 'integer':
      return `a whole number${bounds(node)}`
    case 'number':
      return `a number${bounds(node)}`
    case 'string':
      return 'text'
    case 'array':
      return node.items?.enum === undefined ? 'a list' : `a list with any of ${node.items.enum.join(', ')}`
    case 'object': {
      const keys = Object.keys(node.properties ?? {})
      if (keys.length === 0) return 'a section'
      return `a section with ${keys.slice(0, 3).join(', ')}${keys.length > 3 ? ', …' : ''}`
    }
    default:
      return 'something else'
  }
}

function bounds({ minimum, maximum, exclusiveMinimum }: SchemaNode): string {
  const least = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined
  const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`
  const lower =
    exclusiveMinimum !== undefined
      ? ` above ${exclusiveMinimum}`
      : least === undefined
        ? ''
        : ` of at least ${least}`
  return most === undefined ? lower : `${lower}, at most ${most}`
}
