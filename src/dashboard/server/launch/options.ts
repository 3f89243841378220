import { z } from 'zod'
import { agentIds } from '../../../agents/registry/harnesses.js'
import { dotted } from '../../../core/config/paths.js'
import {
  configNode,
  expected,
  knownPaths,
  nodeAt,
  type SchemaNode,
  schemaNode,
} from '../../../core/config/schema-nodes.js'
import { truth } from '../../../core/config/variables.js'
import { knownModels } from '../../../models/index.js'
import type { LoadedProject } from '../../../project/load.js'
import { environmentKind, gateKind, isPath, loadModule, namesOf } from '../../../project/modules.js'
import type { LaunchChanges, LaunchOption, LaunchOptions, LaunchProblem } from '../../contract/launch.js'
import { textOf } from './values.js'

/**
 * Options that can only be set in the project's file, with the reason. The browser's user need not be the
 * owner of the machine, so no request may name a file, a program, or a host that a key is sent to.
 */
const inTheFile: readonly (readonly [RegExp, string])[] = [
  [/^(skill|prompts|name|telemetry\.logFile|models\.\w+\.provider)$/, 'It names files of the project.'],
  [/^environment\./, 'It says what the tasks are, and where.'],
  [
    /^(models\.\w+\.(endpoint|apiKeyEnv|auth|apiVersion|extraBody)|telemetry\.(endpoint|texts))$/,
    'It decides where keys and texts are sent.',
  ],
  // A price of zero would skip the confirmation.
  [/^models\.\w+\.price\./, 'It decides what counts as paid.'],
  [/^(sandbox|harness\.(access|inherit))$/, 'It decides what programs may do on this machine.'],
]

/** Options that only concern editors or Sleep are not offered for a training. */
const isOfNoUse = (path: string): boolean => path === '$schema' || path.startsWith('sleep.')

/** All options of a training, from the config schema. */
export async function launchOptions(): Promise<LaunchOptions> {
  const gates = await namesOf(gateKind)
  const options = optionsIn(configNode).filter(({ path }) => !isOfNoUse(path))
  const agents = await agentIds()
  return {
    options: options.map(option => {
      if (option.path === 'evaluation.gate') return { ...option, kind: 'choice', choices: gates }
      // The cache may also be a folder, but only the project's file may name it.
      return option.path === 'cache' ? { ...option, kind: 'switch', expected: 'true or false' } : option
    }),
    models: [
      ...knownModels(),
      ...agents.map(id => `${id}/default`),
      'simulated/target',
      'simulated/optimizer',
      'simulated/judge',
    ],
  }
}

/** Options of the project's environment. The form cannot change them, because all of them name files. */
export async function environmentOptions({ config, baseDir }: LoadedProject): Promise<LaunchOption[]> {
  const { use } = config.environment
  const module = await loadModule(environmentKind, use, baseDir)
  const made = (isPath(use) ? module.default : module) as { readonly options?: unknown } | undefined
  return made?.options instanceof z.ZodType ? optionsIn(schemaNode(made.options), ['environment']) : []
}

/** Rejects changes to options that the form does not offer. */
export function refusedChanges(changes: LaunchChanges, { options }: LaunchOptions): readonly LaunchProblem[] {
  const byPath = new Map(options.map(option => [option.path, option]))
  return Object.entries(changes).flatMap(([path, value]): LaunchProblem[] => {
    const message = refusalOf(path, value, byPath.get(path))
    return message === undefined ? [] : [{ path, message }]
  })
}

function refusalOf(path: string, value: string, option: LaunchOption | undefined): string | undefined {
  if (option === undefined) return `"${path}" is not an option of a training.`
  if (option.locked !== undefined) return `${path} is changed in the project’s file only. ${option.locked}`
  if (path === 'evaluation.gate' && isPath(value))
    return 'A gate of your own is named in the project’s file only.'
  if (path === 'cache' && truth(value) === undefined)
    return 'cache must be true or false here; a folder for it is named in the project’s file only.'
  return value.includes('\0') ? `The value of ${path} has a character that no option can.` : undefined
}

function optionsIn(root: SchemaNode, prefix: readonly string[] = []): LaunchOption[] {
  return knownPaths(root).flatMap(({ path, node }) => {
    const key = path.at(-1)
    // A model's name is set through the parent option.
    const isModelName = key === 'model' && isModel(nodeAt(root, path.slice(0, -1)))
    if (isModelName || (node.properties !== undefined && !isModel(node))) return []
    const mayChange = path.some((_key, depth) => nodeAt(root, path.slice(0, depth + 1))?.mayChange === true)
    return [optionOf(dotted([...prefix, ...path]), node, mayChange)]
  })
}

/** A model is either written as `provider/model` or as a section with fields. */
const isModel = (node: SchemaNode | undefined): boolean =>
  node?.anyOf?.some(branch => branch.properties?.model !== undefined) === true

function optionOf(path: string, node: SchemaNode, mayChange: boolean): LaunchOption {
  const locked = inTheFile.find(([paths]) => paths.test(path))?.[1]
  const choices = node.enum ?? node.items?.enum
  const byDefault = node.default === undefined ? undefined : textOf(node.default, node)
  return {
    path,
    description: node.description ?? '',
    kind: kindOf(node),
    expected: isModel(node) ? 'provider/model' : expected(node),
    ...(choices === undefined ? {} : { choices: choices.map(String) }),
    ...(byDefault === undefined ? {} : { byDefault }),
    mayChange,
    ...(locked === undefined ? {} : { locked }),
  }
}

const longText = 200

function kindOf(node: SchemaNode): LaunchOption['kind'] {
  if (isModel(node)) return 'model'
  if (node.enum !== undefined) return 'choice'
  if (node.items?.enum !== undefined) return 'choices'
  if (node.type === 'boolean') return 'switch'
  if (node.type === 'integer' || node.type === 'number') return 'number'
  return (node.maxLength ?? 0) > longText ? 'long text' : 'text'
}
