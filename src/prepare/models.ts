/** What is known of a provider without loading its library. */
interface Provider {
  readonly id: string
  readonly keyVariables: readonly string[]
}

export interface Models {
  readonly target: string
  readonly optimizer: string
  /** Never the optimizer, or edits would come to please it. */
  readonly judge: string
}

export interface ModelOffer extends Models {
  /** Why, for people: `OPENAI_API_KEY is set`. */
  readonly because: string
}

/** A cheap model to train, a strong one to propose edits, another to judge. In the order in which they are offered. */
export const suggestedModels: Readonly<Record<string, Models>> = Object.fromEntries(
  [
    ['openai', 'gpt-5-nano', 'gpt-5.4', 'gpt-5-mini'],
    ['anthropic', 'claude-haiku-4-5', 'claude-sonnet-5', 'claude-sonnet-4-5'],
    ['google', 'gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-3.5-flash'],
    ['deepseek', 'deepseek-flash', 'deepseek-v4-pro', 'deepseek-flash'],
    ['minimax', 'MiniMax-M2.1', 'MiniMax-M2.1', 'MiniMax-M2'],
    ['openrouter', 'openai/gpt-5-mini', 'openai/gpt-5.4', 'openai/gpt-5.4-mini'],
    ['qwen', 'qwen-flash', 'qwen-max', 'qwen-plus'],
    ['simulated', 'target', 'optimizer', 'judge'],
  ].map(([id, target, optimizer, judge]) => [
    id,
    { target: `${id}/${target}`, optimizer: `${id}/${optimizer}`, judge: `${id}/${judge}` },
  ]),
)

/** What can be used with the keys that are set, the first being the usual choice; nothing if there is no key. */
export function offerModels(
  providers: readonly Provider[],
  env: Readonly<Record<string, string | undefined>>,
): readonly ModelOffer[] {
  return Object.entries(suggestedModels).flatMap(([id, pair]) => {
    const variables = providers.find(provider => provider.id === id)?.keyVariables ?? []
    const variable = variables.find(name => (env[name] ?? '') !== '')
    return variable === undefined ? [] : [{ ...pair, because: `${variable} is set` }]
  })
}

/** Fills in what was not named: beside a model of a provider, the others of that provider. */
export function completeModels(
  given: { readonly target?: string | undefined; readonly optimizer?: string | undefined },
  offers: readonly ModelOffer[],
): Models {
  const named = given.target ?? given.optimizer
  const usual = (named === undefined ? undefined : suggestionFor(named)) ?? offers[0]
  const target = given.target ?? usual?.target ?? named ?? 'simulated/target'
  const optimizer = given.optimizer ?? usual?.optimizer ?? named ?? 'simulated/optimizer'
  return { target, optimizer, judge: usual?.judge ?? (named === undefined ? 'simulated/judge' : target) }
}

function suggestionFor(model: string): Models | undefined {
  return suggestedModels[model.split('/')[0] ?? '']
}

export const isSimulated = (model: string) => model.startsWith('simulated/')
