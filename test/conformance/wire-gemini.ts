import type { ScriptedReply } from './wire-formats.js'

/** The Gemini API. A streamed reply is a series of complete replies, each with one piece. */
export function geminiReply(reply: ScriptedReply): unknown {
  return { ...candidate(parts(reply), finishReason(reply)), ...usageMetadata(reply.usage) }
}

export function geminiStream(reply: ScriptedReply): string[] {
  return [
    candidate(parts(reply)),
    { ...candidate([{ text: '' }], finishReason(reply)), ...usageMetadata(reply.usage) },
  ].map(chunk => `data: ${JSON.stringify(chunk)}\n\n`)
}

export function geminiError(status: number, message: string, code: string | undefined): unknown {
  return { error: { code: status, message, status: code ?? 'INVALID_ARGUMENT' } }
}

function candidate(content: unknown[], finish?: string) {
  const ended = finish === undefined ? {} : { finishReason: finish }
  return {
    candidates: [{ content: { role: 'model', parts: content }, ...ended, index: 0 }],
    responseId: 'r1',
  }
}

function parts({ text, refusal, toolCall }: ScriptedReply): unknown[] {
  if (toolCall === undefined) return [{ text: text ?? refusal ?? '' }]
  const { id, name } = toolCall
  return [{ functionCall: { id, name, args: JSON.parse(toolCall.arguments) as unknown } }]
}

function finishReason({ stop, refusal }: ScriptedReply): string {
  if (refusal !== undefined) return 'PROHIBITED_CONTENT'
  if (stop === 'length') return 'MAX_TOKENS'
  return stop === 'filter' ? 'SAFETY' : 'STOP'
}

function usageMetadata(usage: ScriptedReply['usage']) {
  if (usage === null || usage === undefined) return {}
  return {
    usageMetadata: {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
      ...(usage.cached === undefined ? {} : { cachedContentTokenCount: usage.cached }),
    },
  }
}
