import { imageTypes } from '../core/task/task.js'
import { createCompatible, tuneCompatible } from './wire/compatible.js'
import type { ProviderDefinition } from './wire/definition.js'

type SimulatedProcess = { readonly url: string; close(): Promise<void> }

/**
 * The simulated server, shared by all roles of this process. It replaces an endpoint, so it is a separate
 * process.
 */
let running: Promise<SimulatedProcess> | undefined

/** Needs no key and no network. Replies depend only on request and seed, so seeds are sent by default. */
export const provider: ProviderDefinition = {
  id: 'simulated',
  keyVariables: [],
  endpointVariables: [],
  keyNeeded: false,
  structured: ['json', 'text'],
  models: ['target', 'target-hasty', 'target-literal', 'optimizer', 'judge'],
  seedByDefault: true,
  local: true,
  price: { input: 0, output: 0, cachedInput: 0 },
  // The simulated server counts only text tokens.
  files: () => ({
    image: { mediaTypes: imageTypes, mostTokens: 0, detail: true },
    document: { mediaTypes: ['application/pdf'], mostTokens: 0 },
  }),
  start: async () => {
    running ??= startServer()
    return `${(await running).url.replace(/\/$/, '')}/v1`
  },
  close: async () => {
    const stopping = running
    running = undefined
    await (await stopping)?.close()
  },
  create: settings => createCompatible('simulated', settings),
  tune: tuneCompatible,
}

async function startServer(): Promise<SimulatedProcess> {
  try {
    const { startSimulatedProcess } = await import('../simulated/process.js')
    return await startSimulatedProcess()
  } catch (error) {
    running = undefined
    throw error
  }
}
