import { z } from 'zod'
import { compatibleProvider, createCompatible } from './wire/compatible.js'
import type { Fetch, ProviderDefinition } from './wire/definition.js'
import { selfHostedFiles } from './wire/files.js'

const hosts = ['api.minimax.io', 'api.minimaxi.com']

/**
 * MiniMax. A key works in one region only: for mainland China, set MINIMAX_BASE_URL or `endpoint` to
 * `https://api.minimaxi.com/v1`.
 */
export const provider: ProviderDefinition = {
  ...compatibleProvider({
    id: 'minimax',
    keyVariables: ['MINIMAX_API_KEY'],
    endpointVariables: ['MINIMAX_BASE_URL'],
    keyNeeded: true,
    // `text` is first, because some MiniMax models ignore the response format without an error.
    structured: ['text', 'json', 'schema'],
    endpoint: () => 'https://api.minimax.io/v1',
    regions: hosts.map(host => `https://${host}/v1`),
    // From the third generation on, models accept images.
    files: model => (/-(?:M1|M2|Text)/i.test(model) ? {} : selfHostedFiles),
    normalizeEndpoint: endpoint => {
      const url = new URL(endpoint)
      return url.pathname === '/' && hosts.includes(url.hostname) ? `${url.origin}/v1` : endpoint
    },
    body: ({ effort, model }) => ({
      // Without this, the answer contains the reasoning between tags.
      reasoning_split: true,
      // There are no effort levels, and second-generation models cannot turn thinking off.
      ...(effort === 'none' && !/-M2/i.test(model) ? { thinking: { type: 'disabled' } } : {}),
    }),
  }),
  create: settings => createCompatible('minimax', { ...settings, fetch: withErrorStatus(settings.fetch) }),
}

/** HTTP status for each MiniMax error code; other codes count as a server error. */
const statusOf: Readonly<Record<number, number>> = {
  1001: 504,
  1002: 429,
  1004: 401,
  1008: 402,
  1026: 400,
  1027: 400,
  1028: 402,
  1030: 402,
  1039: 429,
  1041: 429,
  1042: 400,
  2013: 400,
  2045: 429,
  2049: 401,
  2056: 402,
  2061: 402,
}
const filterCodes = [1026, 1027]

/** Corrects the status of a failed response: some errors arrive with status 200 and a code in `base_resp`. */
function withErrorStatus(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.status !== 200 || response.headers.get('content-type')?.includes('event-stream') === true) {
      return response
    }
    const text = await response.text()
    const { headers } = response
    const refusal = errorIn(text)
    if (refusal === undefined) return new Response(text, { status: 200, headers })
    const code = filterCodes.includes(refusal.code) ? 'content_filter' : String(refusal.code)
    const error = { message: `${refusal.message} (${refusal.code})`, code }
    return new Response(JSON.stringify({ error }), { status: statusOf[refusal.code] ?? 500, headers })
  }
}

const errorSchema = z.object({
  base_resp: z.object({ status_code: z.number(), status_msg: z.string().default('') }),
})

function errorIn(text: string): { code: number; message: string } | undefined {
  let reply: unknown
  try {
    reply = JSON.parse(text)
  } catch {
    // The client library parses the body again and then reports the error.
    return undefined
  }
  const { data } = errorSchema.safeParse(reply)
  if (data === undefined || data.base_resp.status_code === 0) return undefined
  return { code: data.base_resp.status_code, message: data.base_resp.status_msg }
}
