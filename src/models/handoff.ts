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

/** Longer than it takes from one answer to the next question, and shorter than a person's patience. */
const quietMs = 1000

/** Models of one folder wait together: what a target is asked and what an optimizer is asked is one round. */
const desks = new Map<string, Desk>()

/** No key and no network: prompts are written down, and others answer them between two runs of the same command. */
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

/** A model over a desk. Where the folder is changes no reply, so it is no parameter. */
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
      // How many tokens it took is unknown; that nobody asks us for money is not.
      return price === undefined ? { ...reply, cost: 0 } : reply
    },
  }
}

/** Takes away what a handoff has written into a folder, and the answers to it. What is not its own stays. */
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

/** Nothing in a config is ignored: there is no request that these could go into. */
function refuseUnused(config: Config): void {
  const given = [
    ...givenOptions(config),
    ...(config.apiKeyEnv === undefined ? [] : ['apiKeyEnv']),
    // An empty file is no answer yet.
    ...(config.emptyReplies === 'answer' ? ['emptyReplies'] : []),
  ]
  const unused = given.find(option => option !== 'endpoint')
  if (unused === undefined) return
  throw new InputError(`${config.model}: a handoff does not use \`${unused}\`.`, { hint: 'Leave it out.' })
}
