import type { LanguageModelV3Message } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { provider } from './openai.js'
import type { Fetch } from './wire/definition.js'

type Content = Extract<LanguageModelV3Message, { role: 'user' }>['content']

/** Returns the request that would be sent, without sending it. */
async function sent(
  endpointGiven: boolean,
  strict?: boolean,
  content: Content = [{ type: 'text', text: 'x' }],
) {
  const seen: { url: string; body: Record<string, unknown> }[] = []
  const fetch: Fetch = async (url, init) => {
    seen.push({ url: String(url), body: JSON.parse(String(init?.body)) as Record<string, unknown> })
    return new Response('{}', { status: 500 })
  }
  const model = await provider.create({
    model: 'gpt-5-mini',
    endpoint: 'https://host/v1',
    endpointGiven,
    key: 'k',
    keyVariable: 'OPENAI_API_KEY',
    token: undefined,
    apiVersion: undefined,
    structured: 'schema',
    env: {},
    fetch,
  })
  const { providerOptions } = provider.tune({
    model: 'gpt-5-mini',
    endpointGiven,
    effort: 'low',
    maxOutputTokens: 9,
    strict,
  })
  const prompt = [{ role: 'user' as const, content }]
  const schema = { type: 'object' as const, properties: { a: { type: 'string' as const } } }
  const call = model.doGenerate({
    prompt,
    maxOutputTokens: 9,
    responseFormat: { type: 'json', schema },
    ...(providerOptions === undefined ? {} : { providerOptions }),
  })
  await expect(call).rejects.toThrow()
  return seen[0]
}

describe('openai', () => {
  it('uses the Responses API of OpenAI without storage', async () => {
    const request = await sent(false)
    expect(request?.url).toBe('https://host/v1/responses')
    expect(request?.body).toMatchObject({ store: false, max_output_tokens: 9, reasoning: { effort: 'low' } })
  })

  it('sends images and documents to the Responses API as data URLs', async () => {
    const request = await sent(false, undefined, [
      { type: 'file', mediaType: 'image/png', data: 'AAEC' },
      { type: 'file', mediaType: 'application/pdf', data: 'AwQF' },
    ])
    expect(request?.body.input).toEqual([
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: 'data:image/png;base64,AAEC' },
          { type: 'input_file', filename: 'part-1.pdf', file_data: 'data:application/pdf;base64,AwQF' },
        ],
      },
    ])
  })

  it('uses Chat Completions for a custom endpoint', async () => {
    const request = await sent(true)
    expect(request?.url).toBe('https://host/v1/chat/completions')
    expect(request?.body).toMatchObject({ max_completion_tokens: 9, reasoning_effort: 'low' })
    expect(request?.body).not.toHaveProperty('store')
  })

  it.each([true, false])('asks for strict: %s as the schema allows', async strict => {
    expect((await sent(false, strict))?.body).toMatchObject({ text: { format: { strict } } })
  })
})
