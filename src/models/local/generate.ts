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

/** The prompt is evaluated in pieces, because an abort is noticed only between two of them. */
const pieceTokens = 256

/** Tokens or texts that end a reply although they are not the model's own end of generation. */
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

/** Generates one reply on a sequence, reusing what its state shares with the prompt. */
export async function generate(
  sequence: Sequence,
  prompt: readonly Token[],
  { model, stop, settings }: { model: LlamaModel; stop: StopMarks; settings: GenerationSettings },
): Promise<Generation> {
  const { maxTokens, signal, ...sampling } = settings
  // The last token is evaluated in any case, since the reply is sampled from its result.
  await sequence.adaptStateToTokens(prompt.slice(0, -1), false)
  const cached = sequence.nextTokenIndex
  let position = cached
  while (prompt.length - position > pieceTokens) {
    await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(position, position + pieceTokens))
    position += pieceTokens
    signal.throwIfAborted()
  }
  // Generation beyond the context would drop the beginning of the prompt.
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

/** Grammars by schema: building one takes time, and few different ones are used. */
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
