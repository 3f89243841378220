import { truth } from '../../core/config/variables.js'
import type { Given, Mapping } from './mapping.js'
import {
  families,
  isChosen,
  nameModel,
  type Role,
  setKey,
  setOutputLimit,
  setTimeLimit,
  setting,
} from './settings.js'

const family = families.minimax

const regions: Readonly<Record<string, string>> = {
  global: 'https://api.minimax.io/v1',
  global_en: 'https://api.minimax.io/v1',
  intl: 'https://api.minimax.io/v1',
  international: 'https://api.minimax.io/v1',
  cn: 'https://api.minimaxi.com/v1',
  cn_zh: 'https://api.minimaxi.com/v1',
  china: 'https://api.minimaxi.com/v1',
}

/** Maps `minimax_chat`: MiniMax in one of its regions, or a self-hosted server of its models. */
export function mapMinimax(role: Role, mapping: Mapping): void {
  nameModel(mapping, role, { provider: 'minimax', model: minimaxModel(role, mapping) })
  const endpoint = setting(mapping, { role, family, name: 'base_url' }) ?? regionEndpoint(role, mapping)
  if (endpoint !== undefined) {
    const value = String(endpoint.value).replace(/\/chat\/completions\/?$/, '')
    mapping.set(['models', role, 'endpoint'], { ...endpoint, value })
  }
  setKey(role, family, mapping)
  const temperature =
    setting(mapping, { role, family, name: 'temperature' }) ??
    mapping.standard('model.minimax_temperature', 0.7)
  mapping.set(['models', role, 'temperature'], mapping.number(temperature))
  const limit =
    setting(mapping, { role, family, name: 'max_tokens' }) ??
    mapping.standard('model.minimax_max_tokens', 8000)
  setOutputLimit(role, limit, mapping)
  setTimeLimit(role, family, mapping)
  setThinking(role, mapping)
}

/** The model of a role. As in the reference, the backend's own key overrides `model.target`. */
function minimaxModel(role: Role, mapping: Mapping): Given {
  const chosen = mapping.text(`model.${role}`)
  const own = setting(mapping, { role, family, name: 'model' })
  if (role === 'target' && own !== undefined) return own
  return isChosen(chosen) ? chosen : (own ?? mapping.standard(`model.${role}`, 'MiniMax-M2.7'))
}

function regionEndpoint(role: Role, mapping: Mapping): Given | undefined {
  const region = setting(mapping, { role, family, name: 'region' })
  if (region === undefined) return undefined
  const endpoint = regions[String(region.value).trim().toLowerCase()]
  if (endpoint !== undefined) return { ...region, value: endpoint }
  mapping.problem(
    `${region.theirs} must be global or cn, but is "${String(region.value)}"${mapping.place(region)}`,
  )
  return undefined
}

/** Sets thinking on or off. The reference always sets it, in a format that self-hosted servers understand. */
function setThinking(role: Role, mapping: Mapping): void {
  const given =
    setting(mapping, { role, family, name: 'enable_thinking' }) ??
    mapping.standard('model.minimax_enable_thinking', false)
  const value = truth(given.value)
  if (value === undefined) {
    mapping.problem(
      `${given.theirs} must be true or false, but is "${String(given.value)}"${mapping.place(given)}`,
    )
    return
  }
  mapping.set(['models', role, 'extraBody', 'chat_template_kwargs', 'enable_thinking'], { ...given, value })
}
