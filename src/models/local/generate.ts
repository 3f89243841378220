import type { EvaluateOptions, Llama, LlamaModel, LlamaText, Sequence, Token } from './engine-types.js'

export interface Generation {
  readonly text: string
  readonly finish: 'stop' | 'length'
  readonly usage: { readonly input: number; readonly output: number; readonly cached: number }
}

export interface GenerationSettings extends Omit<EvaluateOptions, 'yieldEogToken'> {
  readonly maxTokens: number
  readonly signal: AbortSignal
}

/** The prompt is evaluated in chunks, because an abort takes effect only between two of them. */
const pieceTokens = 256

/** Tokens and texts that end a reply, besides the model's own end-of-generation token. */
export interface StopMarks {
  readonly tokens: ReadonlySet<Token>
  readonly texts: readonly string[]
}

export function stopMarks(model: LlamaModel, triggers: readonly LlamaText[]): StopMarks {
  const tokens = new Set<Token>()
  const texts: string[] = []
  for (const trigger of triggers) {
    const [first, ...more] = trigger.tokenize(model.tokenizer)
    if (first !== undefined && more.length === 0) tokens.add(first)
    else if (trigger.values.every(value => typeof value === 'string')) texts.push(trigger.values.join(''))
  }
  return { tokens, texts }
}

/** Generates one reply on a sequence. The prefix that its state shares with the prompt is reused. */
export async function generate(
  sequence: Sequence,
  prompt: readonly Token[],
  { model, stop, settings }: { model: LlamaModel; stop: StopMarks; settings: GenerationSettings },
): Promise<Generation> {
  const { maxTokens, signal, ...sampling } = settings
  // The last token must always be evaluated, because the reply's first token is sampled from its result.
  await sequence.adaptStateToTokens(prompt.slice(0, -1), false)
  const cached = sequence.nextTokenIndex
  let position = cached
  while (prompt.length - position > pieceTokens) {
    await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(position, position + pieceTokens))
    position += pieceTokens
    signal.throwIfAborted()
  }
  // If the output exceeded the context, the engine would drop the beginning of the prompt.
  const limit = Math.min(maxTokens, sequence.contextSize - prompt.length - 1)
  const output: Token[] = []
  let used = 0
  let finish: Generation['finish'] = 'length'
  let stopText: string | undefined
  const evaluation = sequence.evaluate(prompt.slice(position), { ...sampling, yieldEogToken: true })
  for await (const token of evaluation) {
    signal.throwIfAborted()
    used++
    if (model.isEogToken(token) || stop.tokens.has(token)) {
      finish = 'stop'
      break
    }
    output.push(token)
    stopText = stop.texts.find(text => model.detokenize(output.slice(-text.length - 4)).includes(text))
    if (stopText !== undefined) {
      finish = 'stop'
      break
    }
    if (used >= limit) break
  }
  const whole = model.detokenize(output)
  const text = stopText === undefined ? whole : whole.slice(0, whole.lastIndexOf(stopText))
  return { text, finish, usage: { input: prompt.length, output: used, cached } }
}

/** Caches grammars by schema, because building one is slow and few different ones are used. */
export class Grammars {
  readonly #built = new Map<string, Promise<unknown>>()
  constructor(readonly llama: Llama) {}

  of(schema: unknown): Promise<unknown> {
    const key = JSON.stringify(schema ?? 'json')
    const known = this.#built.get(key)
    if (known !== undefined) return known
    const built =
      schema === undefined ? this.llama.getGrammarFor('json') : this.llama.createGrammarForJsonSchema(schema)
    this.#built.set(key, built)
    return built
  }
}
