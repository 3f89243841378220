import type { Attributes } from '@opentelemetry/api'
import type { EventBody, Place } from '../core/log/event.js'
import type { Role } from '../core/ports/model.js'
import type { Message } from '../core/task/task.js'
import type { Said } from './texts.js'

/** Provider names in OpenTelemetry's conventions for generative AI, where they differ from ours. */
const providerNames: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'aws.bedrock',
  azure: 'azure.ai.openai',
  google: 'gcp.gemini',
}

export function namesOf(id = 'unknown/unknown'): { operation: 'chat'; provider: string; model: string } {
  const slash = id.indexOf('/')
  const provider = id.slice(0, Math.max(0, slash))
  return { operation: 'chat', provider: providerNames[provider] ?? provider, model: id.slice(slash + 1) }
}

export function callAttributes(
  operation: string,
  names: { readonly provider: string; readonly model: string },
  { role, stage, epoch, step }: Place & { role: Role },
): Attributes {
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': names.provider,
    'gen_ai.request.model': names.model,
    ...withPrefix({ role, stage, epoch, step }),
  }
}

/** Figures that the provider did not report are left out, because 0 would be a wrong statement. */
export function replyAttributes({ usage, stop, tries, cost }: EventBody<'call.finished'>): Attributes {
  const known: Record<string, number | string[] | undefined> = {
    'gen_ai.response.finish_reasons': [stop.replaceAll('-', '_')],
    'gen_ai.usage.input_tokens': usage.input,
    'gen_ai.usage.output_tokens': usage.output,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedInput,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoning,
    'skillopt.tries': tries,
    'skillopt.cost': cost,
  }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
}

export function messageAttributes({ prompt, reply }: Said, redact: (text: string) => string): Attributes {
  return {
    'gen_ai.input.messages': redact(JSON.stringify(prompt.map(toParts))),
    'gen_ai.output.messages': redact(JSON.stringify([toParts(reply)])),
  }
}

function toParts({ role, text, toolCalls, toolCallId }: Message) {
  const said =
    toolCallId === undefined
      ? { type: 'text', content: text }
      : { type: 'tool_call_response', id: toolCallId, response: text }
  const calls = (toolCalls ?? []).map(call => ({ type: 'tool_call', ...call }))
  return { role, parts: [...(text === '' && calls.length > 0 ? [] : [said]), ...calls] }
}

export function withPrefix(fields: Readonly<Record<string, string | number | boolean>>): Attributes {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`skillopt.${name}`, value]))
}
