import { prettifyError } from 'zod'
import { agentIds } from '../agents/registry/harnesses.js'
import { type Config, type ConfigInput, type ModelConfig, modelSchema } from '../core/config/config.js'
import { InputError } from '../core/errors/errors.js'
import type { LoadedProject } from '../project/load.js'

/** A model name or, from a program, a model with its own options. */
export type TransferTarget = ConfigInput['models']['target']

export const nameOf = (target: TransferTarget): string => (typeof target === 'string' ? target : target.model)

export function checkTargets(targets: readonly TransferTarget[]): void {
  const names = targets.map(nameOf)
  if (names.length === 0 || names.includes('')) {
    throw new InputError('No target given.', {
      hint: 'Pass one or more models, separated by commas: --on openai/gpt-5-mini,anthropic/claude-sonnet-4-5',
    })
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new InputError(`The target ${twice} is given twice.`, { hint: 'Pass each target once.' })
}

/** Returns the same project with another target model. */
export function aimedAt(loaded: LoadedProject, to: TransferTarget): LoadedProject {
  const { config, sources } = loaded
  const own = resolvedOwn(config)
  const kept = typeof to === 'string' ? keptFor(to, own).filter(option => own[option] !== undefined) : []
  const target =
    typeof to === 'string'
      ? modelSchema.parse({ ...Object.fromEntries(kept.map(option => [option, own[option]])), model: to })
      : givenModel(to)
  const others = Object.entries(sources).filter(([path]) => !/^models\.target(\.|$)/.test(path))
  const given = typeof to === 'string' ? ['model'] : Object.keys(to)
  const origins = Object.keys(target).map(option => {
    const path = `models.target.${option}`
    if (given.includes(option)) return [path, 'flag --on']
    return [path, kept.some(one => one === option) ? (sources[path] ?? 'default') : 'default']
  })
  return {
    ...loaded,
    config: { ...config, models: { ...config.models, target } },
    sources: Object.fromEntries([...others, ...origins]),
  }
}

const resolvedOwn = ({ models: { target } }: Config): ModelConfig =>
  typeof target === 'string' ? modelSchema.parse({ model: target }) : target

type Option = Exclude<keyof ModelConfig, 'model'>

/** Call options that apply to any other target of the same kind (model or agent). */
const ofAnyModel: readonly Option[] = ['timeout', 'concurrency', 'retries', 'maxOutputTokens']
const ofAnyAgent: readonly Option[] = ['timeout', 'concurrency', 'retries']
/** Options of the endpoint and the requests. They apply only within the same provider or the same agent. */
const ofProvider: readonly Option[] = [
  ...ofAnyModel,
  ...(['provider', 'endpoint', 'apiKeyEnv', 'auth', 'apiVersion', 'requestsPerMinute'] as const),
  ...(['tokensPerMinute', 'temperature', 'effort', 'extraBody', 'structured', 'stream', 'seed'] as const),
  'emptyReplies',
]

/** Options of the configured target that also apply to another one. A price applies to one model only. */
function keptFor(name: string, own: ModelConfig): readonly Option[] {
  if (name === own.model) return [...ofProvider, 'price']
  if (providerOf(name) === providerOf(own.model)) return ofProvider
  if (isAgent(name) !== isAgent(own.model)) return ['retries']
  return isAgent(name) ? ofAnyAgent : ofAnyModel
}

const providerOf = (model: string): string => model.slice(0, model.indexOf('/'))

const isAgent = (model: string): boolean => agentIds().includes(providerOf(model))

function givenModel(to: Exclude<TransferTarget, string>): ModelConfig {
  const parsed = modelSchema.safeParse(to)
  if (parsed.success) return parsed.data
  throw new InputError(`The target ${to.model} cannot be used: ${prettifyError(parsed.error)}`, {
    hint: 'It supports the options of `models.target`; see docs/configuration.md.',
  })
}
