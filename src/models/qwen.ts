import type { FileLimits } from '../core/ports/model.js'
import { compatibleProvider } from './wire/compatible.js'
import type { CallTuning, Effort, ProviderDefinition } from './wire/definition.js'
import { decodedSize, megabyte, selfHostedFiles } from './wire/files.js'

/** Alibaba's hosted Qwen. A key works in one region: for Beijing, set DASHSCOPE_BASE_URL or `endpoint`. */
export const provider: ProviderDefinition = {
  ...compatibleProvider({
    id: 'qwen',
    keyVariables: ['DASHSCOPE_API_KEY'],
    endpointVariables: ['DASHSCOPE_BASE_URL', 'DASHSCOPE_API_BASE'],
    keyNeeded: true,
    structured: ['json', 'text'],
    endpoint: () => 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    regions: ['dashscope-intl', 'dashscope', 'dashscope-us'].map(
      host => `https://${host}.aliyuncs.com/compatible-mode/v1`,
    ),
    files: model => (isTextOnly(model) ? {} : { image }),
  }),
  tune: call => (call.effort === undefined ? {} : tuneThinking(call, call.effort)),
}

const image: FileLimits = {
  ...selfHostedFiles.image,
  mediaTypes: ['image/png', 'image/jpeg', 'image/webp'],
  maxBytes: decodedSize(10 * megabyte),
}

/** Before Qwen 3.5, models that take images have `vl`, `omni` or `ocr` in their names. */
function isTextOnly(model: string): boolean {
  return /^qw(?:en|q)/.test(model) && !/vl|omni|ocr|^qwen(?:3\.[5-9]|[4-9])/.test(model)
}

const thinkingShare: Record<Exclude<Effort, 'none'>, number> = {
  minimal: 0.1,
  low: 0.25,
  medium: 0.5,
  high: 0.75,
  xhigh: 0.85,
}

/**
 * Sets thinking for an effort; without one, the server's default applies, which differs between models. The
 * output limit does not include thinking tokens here, so the limit is lowered by the thinking budget. Their
 * sum then stays within the amount reserved against the caps.
 */
function tuneThinking(call: CallTuning, effort: Effort): ReturnType<ProviderDefinition['tune']> {
  if (effort === 'none') return { providerOptions: { qwen: { enable_thinking: false } } }
  const budget = Math.max(1, Math.floor(call.maxOutputTokens * thinkingShare[effort]))
  return {
    providerOptions: { qwen: { enable_thinking: true, thinking_budget: budget } },
    maxOutputTokens: Math.max(1, call.maxOutputTokens - budget),
  }
}
