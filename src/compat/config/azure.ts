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

/** Maps `openai_chat`: Azure with a key or Entra ID, or any OpenAI-compatible endpoint. */
export function mapAzure(role: Role, effort: Given | undefined, mapping: Mapping): void {
  const family = families.azure
  const endpoint = setting(mapping, { role, family, name: 'endpoint' })
  const mode = settingOver(mapping, { shipped: 'azure_cli', role, name: 'auth_mode' })
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
  refuseOther(mapping, { role, name: 'ad_scope', allowed: 'https://cognitiveservices.azure.com/.default' })
  refuseOther(mapping, { role, name: 'managed_identity_client_id', allowed: '' })
  const openai = compatible && isOpenAi(endpoint)
  nameModel(mapping, role, {
    provider: openai ? 'openai' : compatible ? 'openai-compatible' : 'azure',
    model: mapping.text(`model.${role}`) ?? mapping.standard(`model.${role}`, 'gpt-5.5'),
  })
  mapping.set(['models', role, 'endpoint'], endpoint)
  if (!compatible) {
    const version = settingOver(mapping, { shipped: '2024-12-01-preview', role, name: 'api_version' })
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
 * Lets an environment variable override a value that only repeats the reference's default file, because the
 * variable was set on purpose.
 */
function settingOver(
  mapping: Mapping,
  { shipped, role, name }: { readonly shipped: string; readonly role: Role; readonly name: string },
): Given | undefined {
  const written = setting(mapping, { role, family: families.azure, name })
  if (written?.value !== shipped) return written
  return variable(mapping, { role, family: families.azure, name }) ?? written
}

function refuseOther(
  mapping: Mapping,
  { role, name, allowed }: { readonly role: Role; readonly name: string; readonly allowed: string },
): void {
  const given = setting(mapping, { role, family: families.azure, name })
  if (given !== undefined && given.value !== allowed) {
    mapping.problem(
      `${given.theirs} is not supported${mapping.place(given)}: Entra ID uses its standard sign-in; set the identity in AZURE_CLIENT_ID`,
    )
  }
}
