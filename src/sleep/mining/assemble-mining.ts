import { createHarness } from '../../agents/chat/chat.js'
import { resolveModel } from '../../core/config/config.js'
import { InputError } from '../../core/errors/errors.js'
import type { Environment } from '../../core/ports/environment.js'
import type { GateFactory } from '../../core/ports/gate.js'
import { canonicalJson, contentHash } from '../../core/text/hash.js'
import { withAgentDefaults } from '../../project/agents.js'
import { type AssembleOptions, absentModel, neededModel } from '../../project/assemble.js'
import type { LoadedProject } from '../../project/load.js'
import { providerFingerprints } from '../../project/models.js'
import { ownPrompts } from '../../project/prompt-folder.js'
import { telemetryOf } from '../../project/telemetry.js'
import { checkLimits } from '../../run/budget.js'
import { createSandbox } from '../../sandbox/index.js'
import type { Setup } from '../../trainer/loops/setup.js'
import { loadPrompts } from '../../trainer/stages/prompts.js'

interface MiningAssembleOptions extends Pick<AssembleOptions, 'createModel'> {
  /** Allows a simulated optimizer. Only for synthetic transcripts, where it misleads nobody. */
  readonly allowSimulated?: boolean
}

/** Like `assemble`, for runs that only use the optimizer. Such runs have no skill and no tasks yet. */
export async function assembleForMining(
  given: LoadedProject,
  options: MiningAssembleOptions = {},
): Promise<Setup> {
  const loaded = await withAgentDefaults(given)
  const { config, name } = loaded
  const simulated = resolveModel(config.models.optimizer, 'optimizer').model.startsWith('simulated/')
  if (simulated && options.allowSimulated !== true) throw simulatedRefusal()
  const prompts = await loadPrompts({ own: await ownPrompts(loaded) })
  const optimizer = await neededModel('optimizer', loaded, options)
  checkLimits(config.limits, { optimizer })
  return {
    name,
    config,
    skill: '',
    tasks: { train: [], val: [], test: [] },
    environment: absentEnvironment,
    harness: createHarness(),
    sandbox: createSandbox(config.sandbox),
    models: { target: absentModel('target', config), optimizer },
    gate: absentGate,
    finalGate: absentGate,
    prompts,
    fingerprints: {
      prompts: contentHash(canonicalJson([prompts.mine, prompts.dream, prompts.repair])),
      ...(await providerFingerprints(['optimizer'], loaded)),
    },
    simulated,
    readers: await telemetryOf(loaded),
  }
}

function simulatedRefusal(): InputError {
  return new InputError(
    'The optimizer is simulated: it knows nothing of real work, and what it wrote would look like findings.',
    {
      hint: 'Name a real model (--optimizer, or `models.optimizer` in the settings), or none: tasks then have the words of your requests.',
    },
  )
}

const noPart = () => new Error('Mining tries no tasks: this has no part in it.')

const absentEnvironment: Environment = {
  id: 'none',
  needs: [],
  tasks: async () => [],
  open: () => Promise.reject(noPart()),
  score: () => Promise.reject(noPart()),
}

const absentGate: GateFactory = () => {
  throw noPart()
}
