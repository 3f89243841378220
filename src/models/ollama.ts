import { compatibleProvider } from './wire/compatible.js'
import { selfHostedFiles } from './wire/files.js'

export const provider = compatibleProvider({
  id: 'ollama',
  keyVariables: ['OLLAMA_API_KEY'],
  endpointVariables: ['OLLAMA_HOST'],
  keyNeeded: false,
  endpoint: () => 'http://127.0.0.1:11434/v1',
  normalizeEndpoint: address,
  // Ollama detects the image format by itself and supports only these formats.
  files: () => ({
    image: { ...selfHostedFiles.image, mediaTypes: ['image/png', 'image/jpeg', 'image/webp'] },
  }),
})

/** OLLAMA_HOST is a listen address: it may lack scheme, port or path, or be `0.0.0.0`. */
function address(host: string): string {
  const url = new URL(/^https?:\/\//.test(host) ? host : `http://${host}`)
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  const bare = !/:\d+/.test(host.replace(/^https?:\/\//, ''))
  if (bare && url.protocol === 'http:') url.port = '11434'
  return url.pathname === '/' ? `${url.origin}/v1` : url.href
}
