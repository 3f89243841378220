import type { Given, Mapping } from './mapping.js'
import {
  families,
  isOpenAi,
  nameModel,
  type Role,
  setKey,
  setOutputLimit,
  setting,
  variable,
} from './settings.js'

/** `openai_chat`: Azure with a key or Entra ID or, under the same names, any OpenAI-compatible endpoint. */
export function mapAzure(role: Role, effort: Given | undefined, mapping: Mapping): void {
  const family = families.azure
  const endpoint = setting(role, family, 'endpoint', mapping)
  const mode = settingOver('azure_cli', role, 'auth_mode', mapping)
  const modeName = String(mode?.value ?? 'azure_cli').toLowerCase()
  const compatible = ['openai_compatible', 'compat', 'openai'].includes(modeName)
  const withKey = ['api_key', 'key'].includes(modeName)
  const entra = ['azure_cli', 'managed_identity', 'aad', 'azure_ad'].includes(modeName)
  if (!compatible && !withKey && !entra) {
    mapping.problem(
      `model.azure_openai_auth_mode must be one of api_key, azure_cli, managed_identity, openai_compatible, but is "${modeName}"${mapping.place(mode)}`,
    )
    return
  }
  if (endpoint === undefined) {
    mapping.problem(
      `The ${role} has the backend openai_chat but no endpoint: set model.azure_openai_endpoint or the environment variable AZURE_OPENAI_ENDPOINT`,
    )
    return
  }
  refuseOther(role, 'ad_scope', 'https://cognitiveservices.azure.com/.default', mapping)
  refuseOther(role, 'managed_identity_client_id', '', mapping)
  const openai = compatible && isOpenAi(endpoint)
  nameModel(
    role,
    openai ? 'openai' : compatible ? 'openai-compatible' : 'azure',
    mapping.text(`model.${role}`) ?? mapping.standard(`model.${role}`, 'gpt-5.5'),
    mapping,
  )
  mapping.set(['models', role, 'endpoint'], endpoint)
  if (!compatible) {
    const version = settingOver('2024-12-01-preview', role, 'api_version', mapping)
    mapping.set(
      ['models', role, 'apiVersion'],
      version ?? mapping.standard('model.azure_openai_api_version', '2024-12-01-preview'),
    )
  }
  if (entra)
    mapping.set(['models', role, 'auth'], {
      ...(mode ?? mapping.standard('model.azure_openai_auth_mode', modeName)),
      value: 'entra',
    })
  else setKey(role, family, mapping)
  setOutputLimit(role, undefined, mapping)
  if (effort !== undefined) mapping.set(['models', role, 'effort'], effort)
}

/**
 * The shipped default file spells out some settings; a variable that was set on purpose takes precedence
 * over those.
 */
function settingOver(shipped: string, role: Role, name: string, mapping: Mapping): Given | undefined {
  const written = setting(role, families.azure, name, mapping)
  if (written?.value !== shipped) return written
  return variable(role, families.azure, name, mapping) ?? written
}

function refuseOther(role: Role, name: string, fine: string, mapping: Mapping): void {
  const given = setting(role, families.azure, name, mapping)
  if (given !== undefined && given.value !== fine) {
    mapping.problem(
      `${given.theirs} cannot be honoured${mapping.place(given)}: Entra ID is signed in to the usual way; name the identity in AZURE_CLIENT_ID`,
    )
  }
}
