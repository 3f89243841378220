import { agentBackends, mapAgent } from './agents.js'
import { mapAzure } from './azure.js'
import { mapCompatible } from './compatible.js'
import type { Given, Mapping } from './mapping.js'
import { mapMinimax } from './minimax.js'
import { families, isChosen, modelKeys, nameModel, type Role, roles, setOutputLimit } from './settings.js'

const aliases: Readonly<Record<string, string>> = {
  azure: 'openai_chat',
  'azure-openai': 'openai_chat',
  azure_openai: 'openai_chat',
  claude: 'claude_chat',
  anthropic: 'claude_chat',
  qwen: 'qwen_chat',
  minimax: 'minimax_chat',
  copilot: 'copilot_chat',
  codex: 'codex_exec',
  cursor: 'cursor_exec',
}

/** Optimizer backend that the general key `model.backend` implies if the optimizer has no key of its own. */
const optimizerOf: Readonly<Record<string, string>> = {
  claude_chat: 'claude_chat',
  openai_compatible: 'openai_compatible',
  codex_exec: 'codex_exec',
  copilot_chat: 'copilot_chat',
}

/** Maps the `model` section and the vendors' environment variables onto `models.target` and `models.optimizer`. */
export function mapModels(mapping: Mapping): void {
  const overall = mapping.text('model.backend')
  const effort = mapping.text('model.reasoning_effort')
  for (const role of roles) {
    const backend = backendOf(role, overall, mapping)
    mapping.note(backend.theirs, `models.${role}`, backend.name)
    if (backend.name === 'openai_chat') mapAzure(role, effort, mapping)
    else if (backend.name === 'openai_compatible') mapCompatible(role, families.compatible, mapping)
    else if (backend.name === 'qwen_chat') mapCompatible(role, families.qwen, mapping)
    else if (backend.name === 'minimax_chat') mapMinimax(role, mapping)
    else if (backend.name === 'claude_chat') mapClaude(role, effort, mapping)
    else if (!mapAgent(mapping, role, { name: backend.name, effort })) {
      mapping.problem(
        `${backend.theirs} asks for the backend ${backend.name}, which is unknown${mapping.place(backend.given)}; use openai_chat, openai_compatible, qwen_chat, minimax_chat, claude_chat, ${agentBackends.join(', ')}`,
      )
    }
  }
  for (const key of ['model.backend', 'model.target_backend', 'model.optimizer_backend']) mapping.handled(key)
  mapping.handledQuietly(
    'model.reasoning_effort',
    'openai_compatible, qwen_chat and minimax_chat do not send it',
  )
  for (const role of roles) {
    mapping.handledQuietly(
      `model.${role}`,
      'with this backend the shipped default model name means "not chosen"',
    )
  }
  for (const key of modelKeys) mapping.handledQuietly(key, 'only read by a backend that is not selected')
}

function backendOf(
  role: Role,
  overall: Given | undefined,
  mapping: Mapping,
): { name: string; theirs: string; given: Given | undefined } {
  const key = `model.${role}_backend`
  const own = mapping.text(key)
  const ownName = own === undefined ? undefined : normalized(own)
  if (
    own !== undefined &&
    ownName !== undefined &&
    (ownName !== 'openai_chat' || own.option || overall === undefined)
  ) {
    return { name: ownName, theirs: key, given: own }
  }
  if (overall === undefined) return { name: 'openai_chat', theirs: key, given: own }
  const name = normalized(overall)
  return {
    name: role === 'target' ? name : (optimizerOf[name] ?? 'openai_chat'),
    theirs: 'model.backend',
    given: overall,
  }
}

function normalized(given: Given): string {
  const name = String(given.value).trim().toLowerCase()
  return aliases[name] ?? name
}

function mapClaude(role: Role, effort: Given | undefined, mapping: Mapping): void {
  const chosen = mapping.text(`model.${role}`)
  const model = isChosen(chosen) ? chosen : mapping.standard(`model.${role}`, 'claude-sonnet-4-6')
  nameModel(mapping, role, { provider: 'anthropic', model })
  mapping.warn(
    `The ${role} has the backend claude_chat, for which the reference runs the Claude program; here the Anthropic API is called, with the key in ANTHROPIC_API_KEY. For the program: models.${role}=claude-code/default.`,
  )
  setOutputLimit(role, undefined, mapping)
  if (effort !== undefined) mapping.set(['models', role, 'effort'], effort)
}
