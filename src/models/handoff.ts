import { resolve } from 'node:path'
import { InputError } from '../core/errors/errors.js'
import type { Model } from '../core/ports/model.js'
import { Desk } from './handoff/desk.js'
import { HandoffFolder } from './handoff/folder.js'
import { keyOf } from './handoff/prompt.js'
import type { ModelMaker, OpeningContext } from './wire/definition.js'
import { givenOptions } from './wire/generating.js'

type Config = Parameters<ModelMaker['open']>[0]

const variable = 'SKILLOPT_HANDOFF'

/** Longer than the gap between an answer and the next question, and short enough for a person to wait. */
const quietMs = 1000

/** Models that share a folder share a desk, so target and optimizer prompts go into one round. */
const desks = new Map<string, Desk>()

/**
 * Needs no key and no network: prompts are written to files and answered by others between runs of the
 * command.
 */
export const provider: ModelMaker = {
  id: 'handoff',
  keyVariables: [],
  endpointVariables: [variable],
  keyNeeded: false,
  files: () => ({}),
  open: openHandoff,
  close: async () => desks.clear(),
}

async function openHandoff(config: Config, context: OpeningContext): Promise<Model> {
  refuseUnused(config)
  const path = folderOf(config, context)
  const desk = desks.get(path) ?? new Desk(new HandoffFolder(path), quietMs)
  desks.set(path, desk)
  await desk.folder.check()
  return handoffModel(desk, config)
}

/** A model over a desk. The folder's path changes no reply, so it is not a parameter. */
export function handoffModel(
  desk: Desk,
  { model, maxOutputTokens, price }: Pick<Config, 'model' | 'maxOutputTokens' | 'price'>,
): Model {
  return {
    id: model,
    parameters: {},
    maxOutputTokens,
    price: price ?? { input: 0, output: 0 },
    files: {},
    handoff: {
      place: desk.folder.path,
      answered: async (request, signal) => void (await desk.reply(model, request, signal)),
      kept: request => desk.folder.kept(keyOf(request)),
    },
    generate: async (request, signal) => {
      const reply = await desk.reply(model, request, signal)
      // The token count is unknown, but the cost is known to be zero.
      return price === undefined ? { ...reply, cost: 0 } : reply
    },
  }
}

/** Removes the files that a handoff wrote into a folder and their answers. Other files stay. */
export async function finishHandoff(folder: string): Promise<void> {
  desks.delete(folder)
  await new HandoffFolder(folder).finish()
}

function folderOf({ model, endpoint }: Config, { env, from }: OpeningContext): string {
  if (endpoint !== undefined && /^[a-z][a-z0-9+.-]+:\/\//i.test(endpoint)) {
    throw new InputError(`The endpoint of ${model} is an address: ${endpoint}.`, {
      hint: 'Prompts of a handoff are written to a folder: give its path.',
    })
  }
  if (endpoint !== undefined && endpoint.trim() !== '') return resolve(from?.config ?? '.', endpoint)
  const folder = env[variable]?.trim()
  if (folder !== undefined && folder !== '') return resolve(from?.variables ?? '.', folder)
  throw new InputError(`${model} has no folder to write its prompts to.`, {
    hint: `Set ${variable} to the path of a folder, or \`endpoint\` of the model in the config. It need not exist.`,
  })
}

/** Refuses settings that have no request to go into, rather than ignoring them. */
function refuseUnused(config: Config): void {
  const given = [
    ...givenOptions(config),
    ...(config.apiKeyEnv === undefined ? [] : ['apiKeyEnv']),
    // An empty file does not count as an answer yet.
    ...(config.emptyReplies === 'answer' ? ['emptyReplies'] : []),
  ]
  const unused = given.find(option => option !== 'endpoint')
  if (unused === undefined) return
  throw new InputError(`${config.model}: a handoff does not use \`${unused}\`.`, { hint: 'Leave it out.' })
}
