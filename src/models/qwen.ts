import { compatibleProvider } from './wire/compatible.js'

/** Alibaba's hosted Qwen. Keys belong to a region: those of Beijing need DASHSCOPE_BASE_URL or `endpoint`. */
export const provider = compatibleProvider({
  id: 'qwen',
  keyVariables: ['DASHSCOPE_API_KEY'],
  endpointVariables: ['DASHSCOPE_BASE_URL', 'DASHSCOPE_API_BASE'],
  keyNeeded: true,
  structured: ['json', 'text'],
  endpoint: () => 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
})
