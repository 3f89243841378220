import { InputError } from '../../core/errors/errors.js'
import type { Fetch } from './definition.js'
import { type CallSettings, toCallOptions } from './request.js'

class Captured extends Error {
  constructor(readonly body: Record<string, unknown>) {
    super('The request was only looked at, not sent.')
  }
}

const capture: Fetch = async (_input, init) => {
  throw new Captured(JSON.parse(String(init?.body)) as Record<string, unknown>)
}

const sample = { messages: [{ role: 'user' as const, text: 'x' }], seed: 1 }

/**
 * The provider library drops options that it believes a model does not support, with only a warning. This
 * check refuses such options before anything is sent: a config key without effect is an error.
 */
export async function checkOptionsReachTheWire(model: string, settings: CallSettings): Promise<void> {
  if (settings.temperature === undefined && settings.effort === undefined && !settings.sendSeed) return
  const body = await wireBody(settings)
  // Some APIs nest these options in an object.
  const inside = { ...(body.generationConfig as object), ...(body.inferenceConfig as object) }
  const sent: Record<string, unknown> = { ...body, ...inside }
  const refuse = (option: string, value: unknown, hint: string) => {
    throw new InputError(`${model} does not take \`${option}: ${value}\` with its other options.`, { hint })
  }
  if (settings.temperature !== undefined && sent.temperature !== settings.temperature) {
    refuse('temperature', settings.temperature, 'Leave temperature out: models that reason set their own.')
  }
  if (settings.sendSeed && sent.seed !== sample.seed) {
    refuse('seed', true, 'Leave seed out: this API has none.')
  }
  if (settings.effort !== undefined) {
    const without = await wireBody({ ...settings, effort: undefined })
    if (JSON.stringify(body) === JSON.stringify(without)) {
      refuse('effort', settings.effort, 'Leave effort out, take another level, or send it with extraBody.')
    }
  }
}

async function wireBody(settings: CallSettings): Promise<Record<string, unknown>> {
  const { definition, provider } = settings
  const client = await definition.create({
    ...provider,
    fetch: capture,
    token: provider.token === undefined ? undefined : async () => 'not-sent',
  })
  try {
    await client.doGenerate(toCallOptions(sample, settings))
  } catch (error) {
    if (error instanceof Captured) return error.body
    throw error
  }
  throw new Error(`The client of ${definition.id} made no request.`)
}
