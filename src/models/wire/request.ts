import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3TextPart,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider'
import type { ModelRequest } from '../../core/ports/model.js'
import { promptParts } from '../../core/task/parts.js'
import type { ImageDetail, Message, Part } from '../../core/task/task.js'
import type { Effort, ProviderDefinition, ProviderSettings, Structured } from './definition.js'

export interface CallSettings {
  readonly definition: ProviderDefinition
  readonly provider: ProviderSettings
  readonly temperature: number | undefined
  readonly effort: Effort | undefined
  readonly maxOutputTokens: number
  readonly structured: Structured
  readonly sendSeed: boolean
}

/** Converts a request for the provider library. Pure: the same request gives the same bytes on the wire. */
export function toCallOptions(request: ModelRequest, settings: CallSettings): LanguageModelV3CallOptions {
  const { definition } = settings
  const byScheme = settings.structured === 'schema'
  const tuned = definition.tune({
    model: settings.provider.model,
    endpointGiven: settings.provider.endpointGiven,
    effort: request.effort ?? settings.effort,
    maxOutputTokens: settings.maxOutputTokens,
    strict: request.schema !== undefined && byScheme ? isStrict(request.schema.schema) : undefined,
    signedBody: settings.provider.signedBody,
  })
  return {
    prompt: toPrompt(request.messages, definition.systemOptions),
    maxOutputTokens: tuned.maxOutputTokens ?? settings.maxOutputTokens,
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(settings.sendSeed && request.seed !== undefined ? { seed: request.seed } : {}),
    ...(tuned.providerOptions === undefined ? {} : { providerOptions: tuned.providerOptions }),
    ...(request.tools === undefined || request.tools.length === 0 ? {} : { tools: toTools(request.tools) }),
    ...(request.schema === undefined || settings.structured === 'text'
      ? {}
      : { responseFormat: toFormat(request.schema, byScheme) }),
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
        ...(systemOptions === undefined ? {} : { providerOptions: systemOptions }),
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

/** Omits the file's name, because the same content must give the same request. */
function toPart(part: Part): LanguageModelV3TextPart | LanguageModelV3FilePart {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { mediaType, data, detail } = part
  const file = { type: 'file', mediaType, data } as const
  return detail === undefined ? file : { ...file, providerOptions: detailOptions(mediaType, data, detail) }
}

/**
 * Each client library has its own field for the detail. Providers without one declare that in their file
 * limits.
 */
function detailOptions(mediaType: string, data: string, detail: ImageDetail): SharedV3ProviderOptions {
  return {
    openai: { imageDetail: detail },
    azure: { imageDetail: detail },
    // These fields override those of the content part, so the image must be repeated.
    openaiCompatible: { image_url: { url: `data:${mediaType};base64,${data}`, detail } },
  }
}

/** Providers require an object even if the model wrote something else. */
function parseArguments(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text === '' ? '{}' : text)
    if (typeof parsed === 'object' && parsed !== null) return parsed
  } catch {
    // Kept as it was, under a name: the tool has already told the model that it could not be read.
  }
  return { arguments: text }
}

/** Strict mode requires that every object is closed and every field required. */
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
