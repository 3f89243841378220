/** Facts about a provider that are known without loading its library. */
interface Provider {
  readonly id: string
  readonly keyVariables: readonly string[]
}

export interface Models {
  readonly target: string
  readonly optimizer: string
  /** The judge is never the optimizer, because edits would be tuned to please it. */
  readonly judge: string
}

export interface ModelOffer extends Models {
  /** Explains the suggestion to the user, as in `OPENAI_API_KEY is set`. */
  readonly because: string
}

/**
 * For each provider a cheap target, a strong optimizer and a separate judge, in the order in which providers
 * are offered.
 */
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

/**
 * Lists the models that can be used with the keys that are set, default choice first. Empty if no key is set.
 */
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

/** Adds the missing models. They come from the provider of the model that was given. */
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
