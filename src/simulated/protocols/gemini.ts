import { z } from 'zod'
import type { ChatContentPart, ChatMessage, ChatRequest } from '../chat.js'
import { events, refuse, whole } from './gemini-reply.js'
import { bearerOf, headerOf, type JsonObject, type Protocol } from './protocol.js'
import {
  assistantMessage,
  contentOf,
  dataUrl,
  filePart,
  functionCall,
  functionTool,
  readBy,
  schemaFormat,
  textPart,
  withoutUndefined,
} from './reading.js'

/** The protocol of Google's Gemini API. Its paths contain the model and the method. */
export const protocol: Protocol = {
  keyOf: (headers, url) =>
    headerOf(headers, 'x-goog-api-key') ?? url.searchParams.get('key') ?? bearerOf(headers),
  read,
  whole,
  events,
  refuse,
  counted: tokens => ({ totalTokens: tokens }),
}

const part = z.looseObject({
  text: z.string().optional(),
  /** True if the text is a thought of the model. */
  thought: z.boolean().optional(),
  inlineData: z.object({ mimeType: z.string(), data: z.string() }).optional(),
  fileData: z.object({ mimeType: z.string().optional(), fileUri: z.string() }).optional(),
  functionCall: z
    .object({ id: z.string().nullish(), name: z.string(), args: z.unknown().optional() })
    .optional(),
  functionResponse: z
    .object({ id: z.string().nullish(), name: z.string(), response: z.record(z.string(), z.unknown()) })
    .optional(),
})
const content = z.object({ role: z.string().optional(), parts: z.array(part) })
const declaration = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  parameters: z.unknown().optional(),
  parametersJsonSchema: z.unknown().optional(),
})
const tool = z.looseObject({ functionDeclarations: z.array(declaration).optional() })
const generationConfig = z.looseObject({
  temperature: z.number().optional(),
  topP: z.number().optional(),
  maxOutputTokens: z.number().optional(),
  stopSequences: z.array(z.string()).optional(),
  seed: z.number().optional(),
  responseMimeType: z.string().optional(),
  responseSchema: z.unknown().optional(),
  responseJsonSchema: z.unknown().optional(),
})
const requestSchema = z.object({
  contents: z.array(content).min(1),
  systemInstruction: z.object({ parts: z.array(part) }).optional(),
  tools: z.array(tool).optional(),
  toolConfig: z
    .looseObject({ functionCallingConfig: z.looseObject({ mode: z.string().optional() }).optional() })
    .optional(),
  generationConfig: generationConfig.optional(),
})

type Wire = z.infer<typeof requestSchema>
type Part = z.infer<typeof part>

function read(received: JsonObject, url: URL): ChatRequest | string {
  const [, model = '', method] = /^\/v1(?:alpha|beta)?\/(?:models\/)?(.+):(\w+)$/.exec(url.pathname) ?? []
  const stream = method === 'streamGenerateContent'
  if (stream && url.searchParams.get('alt') !== 'sse')
    return 'Streams are sent as events only: ask for streamGenerateContent?alt=sse'
  // A countTokens request contains the prompt directly or in `generateContentRequest`.
  const asked = method === 'countTokens' ? (received.generateContentRequest ?? received) : received
  return readBy(requestSchema, asked, wire => translate(wire, model, stream))
}

function translate(wire: Wire, model: string, stream: boolean): ChatRequest {
  const { systemInstruction: system, generationConfig: settings } = wire
  const opening: ChatMessage[] =
    system === undefined ? [] : [{ role: 'system', content: contentOf(system.parts.flatMap(readShown)) }]
  return withoutUndefined({
    model,
    messages: [...opening, ...readContents(wire.contents)],
    stream,
    max_tokens: settings?.maxOutputTokens,
    temperature: settings?.temperature,
    top_p: settings?.topP,
    stop: settings?.stopSequences,
    ...(settings?.seed === undefined ? {} : { seed: settings.seed }),
    ...readFormat(settings),
    ...(wire.tools === undefined ? {} : { tools: wire.tools.flatMap(readTool) }),
    tool_choice: choices[wire.toolConfig?.functionCallingConfig?.mode ?? ''],
  })
}

const choices: Partial<Record<string, string>> = { AUTO: 'auto', ANY: 'required', NONE: 'none' }

function readFormat(settings: Wire['generationConfig']): Pick<ChatRequest, 'response_format'> {
  if (settings?.responseMimeType !== 'application/json') return {}
  const schema = settings.responseJsonSchema ?? settings.responseSchema
  return { response_format: schema === undefined ? { type: 'json_object' } : schemaFormat(schema) }
}

function readTool({ functionDeclarations, ...vendors }: z.infer<typeof tool>): unknown[] {
  const declared = (functionDeclarations ?? []).map(
    ({ name, description, parameters, parametersJsonSchema }) =>
      functionTool(name, description, parametersJsonSchema ?? parameters),
  )
  return Object.keys(vendors).length === 0 ? declared : [...declared, vendors]
}

/** Converts a conversation. A result without an id belongs to the first open call of its name. */
function readContents(contents: Wire['contents']): ChatMessage[] {
  const open: { readonly id: string; readonly name: string }[] = []
  const idOfResult = (name: string, id: string | null | undefined): string => {
    const index = open.findIndex(call =>
      id === null || id === undefined ? call.name === name : call.id === id,
    )
    const [found] = index === -1 ? [] : open.splice(index, 1)
    return id ?? found?.id ?? name
  }
  return contents.flatMap(({ role, parts }, position): ChatMessage[] => {
    if (role === 'model') {
      const calls = parts.flatMap(({ functionCall: call }, index) => {
        if (call === undefined) return []
        const id = call.id ?? `call_${position}_${index}`
        open.push({ id, name: call.name })
        return [functionCall(id, call.name, JSON.stringify(call.args ?? {}))]
      })
      return [assistantMessage(parts.flatMap(readShown), calls)]
    }
    const results = parts.flatMap(({ functionResponse: result }): ChatMessage[] =>
      result === undefined
        ? []
        : [
            {
              role: 'tool',
              tool_call_id: idOfResult(result.name, result.id),
              content: wordsOf(result.response),
            },
          ],
    )
    const shown = parts.flatMap(readShown)
    return shown.length === 0 ? results : [...results, { role: 'user', content: contentOf(shown) }]
  })
}

/** The text of a tool result. A result must be an object, so clients put text under one of these names. */
function wordsOf(response: Readonly<Record<string, unknown>>): string {
  const words = response.output ?? response.content ?? response.result ?? response.error
  return typeof words === 'string' ? words : JSON.stringify(response)
}

/** The visible content of a part. Tool calls, their results and thoughts are left out. */
function readShown({ text, thought, inlineData, fileData }: Part): ChatContentPart[] {
  if (thought === true) return []
  if (inlineData !== undefined) {
    const { mimeType, data } = inlineData
    return [filePart(dataUrl(mimeType, data), mimeType)]
  }
  if (fileData !== undefined) return [filePart(fileData.fileUri, fileData.mimeType ?? 'application/pdf')]
  return text === undefined ? [] : [textPart(text)]
}
