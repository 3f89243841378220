import { crc32 } from 'node:zlib'
import type { ScriptedReply } from './wire-formats.js'

/** Amazon Bedrock's Converse API. Its streams are binary: frames with headers and checksums. */
export function converseReply(reply: ScriptedReply): unknown {
  const { toolCall } = reply
  const content =
    toolCall === undefined
      ? { text: reply.text ?? reply.refusal ?? '' }
      : {
          toolUse: {
            toolUseId: toolCall.id,
            name: toolCall.name,
            input: JSON.parse(toolCall.arguments) as unknown,
          },
        }
  return {
    output: { message: { role: 'assistant', content: [content] } },
    stopReason: stopReason(reply),
    metrics: { latencyMs: 1 },
    usage: usageOf(reply.usage),
  }
}

export function converseStream(reply: ScriptedReply): Buffer[] {
  const { toolCall } = reply
  const start =
    toolCall === undefined ? {} : { start: { toolUse: { toolUseId: toolCall.id, name: toolCall.name } } }
  const delta =
    toolCall === undefined
      ? { text: reply.text ?? reply.refusal ?? '' }
      : { toolUse: { input: toolCall.arguments } }
  return [
    frame('messageStart', { role: 'assistant' }),
    frame('contentBlockStart', { contentBlockIndex: 0, ...start }),
    frame('contentBlockDelta', { contentBlockIndex: 0, delta }),
    frame('contentBlockStop', { contentBlockIndex: 0 }),
    frame('messageStop', { stopReason: stopReason(reply) }),
    frame('metadata', { usage: usageOf(reply.usage), metrics: { latencyMs: 1 } }),
  ]
}

function stopReason({ stop, refusal, toolCall }: ScriptedReply): string {
  if (refusal !== undefined) return 'guardrail_intervened'
  if (stop === 'length') return 'max_tokens'
  if (stop === 'filter') return 'content_filtered'
  return toolCall === undefined ? 'end_turn' : 'tool_use'
}

/** Cached input is counted separately from input. */
function usageOf(usage: ScriptedReply['usage']) {
  const { input, output, cached } = usage ?? { input: 0, output: 0 }
  return {
    inputTokens: input - (cached ?? 0),
    outputTokens: output,
    totalTokens: input + output,
    ...(cached === undefined ? {} : { cacheReadInputTokens: cached, cacheWriteInputTokens: 0 }),
  }
}

/** Frame layout: lengths, their checksum, headers, payload, checksum of everything. */
function frame(event: string, payload: unknown): Buffer {
  const headers = Buffer.concat(
    Object.entries({
      ':message-type': 'event',
      ':event-type': event,
      ':content-type': 'application/json',
    }).map(([name, value]) => header(name, value)),
  )
  const body = Buffer.from(JSON.stringify(payload))
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(16 + headers.length + body.length, 0)
  prelude.writeUInt32BE(headers.length, 4)
  const message = Buffer.concat([prelude, checksum(prelude), headers, body])
  return Buffer.concat([message, checksum(message)])
}

function header(name: string, value: string): Buffer {
  const text = 7
  const size = Buffer.alloc(2)
  size.writeUInt16BE(Buffer.byteLength(value))
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([text]),
    size,
    Buffer.from(value),
  ])
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return sum
}
