/**
 * The types of node-llama-cpp that we use. The package is not a development dependency, because it installs
 * several hundred megabytes of GPU binaries.
 */
export type Token = number

export interface LlamaText {
  readonly values: readonly unknown[]
  tokenize(tokenizer: unknown): Token[]
}

export type ChatItem =
  | { readonly type: 'system' | 'user'; readonly text: string }
  | { readonly type: 'model'; readonly response: readonly string[] }

export interface ChatWrapper {
  generateContextState(options: { readonly chatHistory: readonly ChatItem[] }): {
    readonly contextText: LlamaText
    readonly stopGenerationTriggers: readonly LlamaText[]
  }
}

export interface EvaluateOptions {
  readonly temperature: number
  readonly topK?: number
  readonly topP?: number
  readonly minP?: number
  readonly seed?: number
  readonly grammarEvaluationState?: unknown
  readonly yieldEogToken: true
}

export interface Sequence {
  readonly contextSize: number
  readonly nextTokenIndex: number
  compareContextTokens(tokens: readonly Token[]): { readonly firstDifferentIndex: number }
  adaptStateToTokens(tokens: readonly Token[], allowShift: boolean): Promise<void>
  evaluateWithoutGeneratingNewTokens(tokens: readonly Token[]): Promise<void>
  evaluate(tokens: readonly Token[], options: EvaluateOptions): AsyncGenerator<Token, void>
}

export interface LlamaModel {
  readonly tokenizer: unknown
  readonly trainContextSize: number
  createContext(options: {
    readonly sequences: number
    readonly contextSize: number
    readonly threads?: number
  }): Promise<{ getSequence(): Sequence }>
  detokenize(tokens: readonly Token[], specialTokens?: boolean): string
  isEogToken(token: Token): boolean
}

export interface Llama {
  loadModel(options: { readonly modelPath: string }): Promise<LlamaModel>
  createGrammarForJsonSchema(schema: unknown): Promise<unknown>
  getGrammarFor(type: 'json'): Promise<unknown>
}

export interface Engine {
  getLlama(options: {
    readonly gpu: 'auto' | false
    readonly build: 'never'
    readonly progressLogs: false
    readonly logLevel: string
    readonly maxThreads?: number
  }): Promise<Llama>
  resolveChatWrapper(model: LlamaModel): ChatWrapper
  LlamaGrammarEvaluationState: new (options: { model: LlamaModel; grammar: unknown }) => unknown
}
