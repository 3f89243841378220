import { truth } from '../../core/config/variables.js'
import type { Given, Mapping } from './mapping.js'
import {
  type Family,
  families,
  isChosen,
  isOpenAi,
  nameModel,
  type Role,
  setKey,
  setOutputLimit,
  setTimeLimit,
  setting,
} from './settings.js'

/** Maps `openai_compatible` and `qwen_chat`: any server with a Chat Completions API. */
export function mapCompatible(role: Role, family: 'openai_compatible' | 'qwen_chat', mapping: Mapping): void {
  const qwen = family === 'qwen_chat'
  const fallbackUrl = qwen ? 'http://localhost:8000/v1' : 'https://api.openai.com/v1'
  const model = compatibleModel(role, family, mapping)
  const endpoint =
    setting(mapping, { role, family, name: 'base_url' }) ??
    mapping.standard(`model.${family}_base_url`, fallbackUrl)
  nameModel(mapping, role, { provider: isOpenAi(endpoint) ? 'openai' : 'openai-compatible', model })
  mapping.set(['models', role, 'endpoint'], {
    ...endpoint,
    value: String(endpoint.value).replace(/\/chat\/completions\/?$/, ''),
  })
  setKey(role, family, mapping)
  const temperature =
    setting(mapping, { role, family, name: 'temperature' }) ??
    (qwen ? mapping.standard('model.qwen_chat_temperature', 0.7) : undefined)
  if (temperature !== undefined) mapping.set(['models', role, 'temperature'], mapping.number(temperature))
  setOutputLimit(
    role,
    setting(mapping, { role, family, name: 'max_tokens' }) ??
      mapping.standard(`model.${family}_max_tokens`, 8000),
    mapping,
  )
  setTimeLimit(role, family, mapping)
  if (qwen) setThinking(role, mapping)
}

function compatibleModel(role: Role, family: Family, mapping: Mapping): Given {
  const chosen = mapping.text(`model.${role}`)
  if (isChosen(chosen)) return chosen
  const elsewhere = setting(mapping, { role, family, name: 'model' })
  if (elsewhere !== undefined) return elsewhere
  if (family === 'qwen_chat') return mapping.standard(`model.${role}`, 'Qwen/Qwen3.5-4B')
  if (chosen !== undefined) return chosen
  mapping.problem(
    `The ${role} has no model: set model.${role} or the environment variable OPENAI_COMPATIBLE_MODEL`,
  )
  return mapping.standard(`model.${role}`, 'missing')
}

function setThinking(role: Role, mapping: Mapping): void {
  const mode = setting(mapping, { role, family: families.qwen, name: 'thinking_mode' })
  const legacy = setting(mapping, { role, family: families.qwen, name: 'enable_thinking' })
  const wanted = mode === undefined ? undefined : thinking(mode.value)
  if (mode !== undefined && wanted === undefined) {
    mapping.problem(
      `${mode.theirs} must be one of server_default, enabled, disabled, but is "${String(mode.value)}"${mapping.place(mode)}`,
    )
    return
  }
  const old = legacy === undefined ? undefined : truth(legacy.value)
  if (legacy !== undefined && wanted !== undefined && old !== (wanted === 'enabled')) {
    mapping.problem(
      `${legacy.theirs} and ${mode?.theirs} contradict each other${mapping.place(legacy)}; remove the first`,
    )
    return
  }
  // The old switch could not disable thinking; off left the choice to the server. Only the newer mode can
  // disable it.
  const from = mode ?? legacy
  const value = wanted ?? (old === true ? 'enabled' : 'server_default')
  if (from === undefined || value === 'server_default') return
  mapping.set(['models', role, 'extraBody', 'chat_template_kwargs', 'enable_thinking'], {
    ...from,
    value: value === 'enabled',
  })
}

function thinking(value: unknown): 'server_default' | 'enabled' | 'disabled' | undefined {
  const text = String(value).trim().toLowerCase().replace('-', '_')
  if (['server_default', 'unset', 'auto'].includes(text)) return 'server_default'
  if (text === 'enabled' || text === 'disabled') return text
  const bool = truth(text)
  return bool === undefined ? undefined : bool ? 'enabled' : 'disabled'
}
