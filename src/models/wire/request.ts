import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3TextPart,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider'
import { InputError } from '../../core/errors/errors.js'
import type { ModelRequest } from '../../core/ports/model.js'
import { promptParts } from '../../core/task/parts.js'
import type { ImageDetail, Message, Part } from '../../core/task/task.js'
import type { Effort, Fetch, ProviderDefinition, ProviderSettings, Structured } from './definition.js'

export interface CallSettings {
  readonly definition: ProviderDefinition
  readonly provider: ProviderSettings
  readonly temperature: number | undefined
  readonly effort: Effort | undefined
  readonly maxOutputTokens: number
  readonly structured: Structured
  readonly sendSeed: boolean
}

/** Converts a request for the provider library. The same request always gives the same bytes. */
export function toCallOptions(request: ModelRequest, settings: CallSettings): LanguageModelV3CallOptions {
  const { definition } = settings
  const bySchema = settings.structured === 'schema'
  const tuned = definition.tune({
    model: settings.provider.model,
    endpointGiven: settings.provider.endpointGiven,
    effort: request.effort ?? settings.effort,
    maxOutputTokens: settings.maxOutputTokens,
    strict: request.schema !== undefined && bySchema ? isStrict(request.schema.schema) : undefined,
    signedBody: settings.provider.signedBody,
  })
  return {
    prompt: toPrompt(request.messages, definition.systemOptions),
    maxOutputTokens: tuned.maxOutputTokens ?? settings.maxOutputTokens,
    temperature: settings.temperature,
    seed: settings.sendSeed ? request.seed : undefined,
    providerOptions: tuned.providerOptions,
    tools: request.tools === undefined || request.tools.length === 0 ? undefined : toTools(request.tools),
    responseFormat:
      request.schema === undefined || settings.structured === 'text'
        ? undefined
        : toFormat(request.schema, bySchema),
  }
}

function toFormat(
  schema: NonNullable<ModelRequest['schema']>,
  byScheme: boolean,
): NonNullable<LanguageModelV3CallOptions['responseFormat']> {
  return byScheme ? { type: 'json', name: schema.name, schema: schema.schema } : { type: 'json' }
}

function toTools(
  tools: NonNullable<ModelRequest['tools']>,
): NonNullable<LanguageModelV3CallOptions['tools']> {
  return tools.map(tool => ({
    type: 'function',
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters,
  }))
}

function toPrompt(
  messages: readonly Message[],
  systemOptions: ProviderDefinition['systemOptions'],
): LanguageModelV3Prompt {
  // Some APIs require the tool's name in its result; it is taken from the matching call.
  const toolNames = new Map<string, string>()
  for (const message of messages) {
    for (const call of message.toolCalls ?? []) toolNames.set(call.id, call.name)
  }
  return messages.map(message => toMessage(message, toolNames, systemOptions))
}

function toMessage(
  message: Message,
  toolNames: ReadonlyMap<string, string>,
  systemOptions: ProviderDefinition['systemOptions'],
): LanguageModelV3Message {
  switch (message.role) {
    case 'system':
      return {
        role: 'system',
        content: message.text,
        providerOptions: systemOptions,
      }
    case 'user':
      return { role: 'user', content: (message.parts ?? promptParts(message.text)).map(toPart) }
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(message.text === '' ? [] : [{ type: 'text' as const, text: message.text }]),
          ...(message.toolCalls ?? []).map(call => ({
            type: 'tool-call' as const,
            toolCallId: call.id,
            toolName: call.name,
            input: parseArguments(call.arguments),
          })),
        ],
      }
    case 'tool': {
      const id = message.toolCallId ?? ''
      const output = { type: 'text' as const, value: message.text }
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: id, toolName: toolNames.get(id) ?? 'unknown', output }],
      }
    }
  }
}

/** Leaves out the file's name, because the same content must give the same request. */
function toPart(part: Part): LanguageModelV3TextPart | LanguageModelV3FilePart {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { mediaType, data, detail } = part
  const file = { type: 'file', mediaType, data } as const
  return detail === undefined ? file : { ...file, providerOptions: detailOptions(mediaType, data, detail) }
}

/**
 * The image detail, in the field of each client library. Providers without such a field say so in their file
 * limits.
 */
function detailOptions(mediaType: string, data: string, detail: ImageDetail): SharedV3ProviderOptions {
  return {
    openai: { imageDetail: detail },
    azure: { imageDetail: detail },
    // These fields replace those of the content part, so the image must be repeated here.
    openaiCompatible: { image_url: { url: `data:${mediaType};base64,${data}`, detail } },
  }
}

/** Parses arguments of a tool call. Providers require an object, even if the model wrote something else. */
function parseArguments(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text === '' ? '{}' : text)
    if (typeof parsed === 'object' && parsed !== null) return parsed
  } catch {
    // Invalid arguments are sent as text in an object; the tool's result has already reported the mistake.
  }
  return { arguments: text }
}

/** Whether a schema fits strict mode: objects must be closed and all their fields required. */
export function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict)
  if (typeof schema !== 'object' || schema === null) return true
  const node = schema as Record<string, unknown>
  if (node.type === 'object' || node.properties !== undefined) {
    const required = new Set(Array.isArray(node.required) ? node.required : [])
    const names = Object.keys((node.properties ?? {}) as object)
    if (node.additionalProperties !== false || !names.every(name => required.has(name))) return false
  }
  return Object.values(node).every(isStrict)
}

class Captured extends Error {
  constructor(readonly body: Record<string, unknown>) {
    super('The request was captured, not sent.')
  }
}

const capture: Fetch = async (_input, init) => {
  throw new Captured(JSON.parse(String(init?.body)) as Record<string, unknown>)
}

const sample = { messages: [{ role: 'user' as const, text: 'x' }], seed: 1 }

/**
 * Throws if an option would not be sent. The provider library drops options that it believes a model does not
 * support, with only a warning, but a config key without effect must be an error.
 */
export async function checkOptionsAreSent(model: string, settings: CallSettings): Promise<void> {
  if (settings.temperature === undefined && settings.effort === undefined && !settings.sendSeed) return
  const body = await requestBody(settings)
  // Some APIs nest these options in an object.
  const inside = { ...(body.generationConfig as object), ...(body.inferenceConfig as object) }
  const sent: Record<string, unknown> = { ...body, ...inside }
  const refuse = (option: string, value: unknown, hint: string) => {
    throw new InputError(`${model} does not accept \`${option}: ${value}\` with its other options.`, { hint })
  }
  if (settings.temperature !== undefined && sent.temperature !== settings.temperature) {
    refuse('temperature', settings.temperature, 'Leave temperature out: models that reason set their own.')
  }
  if (settings.sendSeed && sent.seed !== sample.seed) {
    refuse('seed', true, 'Leave seed out: this API has none.')
  }
  if (settings.effort !== undefined) {
    const without = await requestBody({ ...settings, effort: undefined })
    if (JSON.stringify(body) === JSON.stringify(without)) {
      refuse('effort', settings.effort, 'Leave effort out, use another level, or send it with extraBody.')
    }
  }
}

async function requestBody(settings: CallSettings): Promise<Record<string, unknown>> {
  const { definition, provider } = settings
  const client = await definition.create({
    ...provider,
    fetch: capture,
    token: provider.token === undefined ? undefined : async () => 'not-sent',
  })
  try {
    await client.doGenerate(toCallOptions(sample, settings))
  } catch (error) {
    if (error instanceof Captured) return error.body
    throw error
  }
  throw new Error(`The client of ${definition.id} made no request.`)
}
