import { findLogin } from '../../../agents/shared/harness/login.js'
import { resolveModel } from '../../../core/config/config.js'
import { type SkillOptError, WorldFailure } from '../../../core/errors/errors.js'
import type { Model, Role } from '../../../core/ports/model.js'
import { nearest } from '../../../core/text/nearest.js'
import { knownModels } from '../../../models/index.js'
import { type OpenedAgent, openAgent } from '../../../project/agents.js'
import type { LoadedProject } from '../../../project/load.js'
import { openModel } from '../../../project/models.js'
import { attempt, type Finding } from '../../output/finding.js'

/** Checks everything about a model that needs no call. Makes one call if requested. */
export async function modelFindings(
  role: Role,
  loaded: LoadedProject,
  options: { readonly online: boolean },
): Promise<Finding[]> {
  const reference = loaded.config.models[role]
  if (reference === undefined) return []
  const { model: id, timeout } = resolveModel(reference, role)
  const made = await attempt(`${role} ${id}`, () => openModel(role, loaded))
  const model = made.value
  if (!model) return [made.finding(() => '')]
  if (id.startsWith('simulated/')) return [{ level: 'ok', text: `${role} ${id}: simulated, costs nothing` }]
  if (model.handoff !== undefined) {
    const { place } = model.handoff
    return [
      { level: 'ok', text: `${role} ${id}: prompts are written to ${place} for someone else to answer` },
    ]
  }
  const agent = await openAgent(role, loaded)
  const findings: Finding[] =
    agent === undefined
      ? [
          { level: 'ok', text: `${role} ${id}: key and endpoint are set` },
          priceFinding(role, id, model.price),
        ]
      : await agentFindings(role, agent, loaded)
  if (!options.online || agent?.definition.chats === false) return findings
  const request = { messages: [{ role: 'user', text: 'Reply with the word ok.' }] } as const
  const called = await attempt(
    `${role} ${id} does not answer`,
    () => model.generate(request, AbortSignal.timeout(timeout * 1000)),
    error => callHint(role, id, error),
  )
  return [...findings, called.finding(reply => `${role} ${id}: answered (${reply.stop})`)]
}

/**
 * Checks an agent. Only a call can prove that it is logged in, but without any
 * sign of a login the call is not needed.
 */
async function agentFindings(role: Role, agent: OpenedAgent, loaded: LoadedProject): Promise<Finding[]> {
  const { definition, model, settings } = agent
  const { title, grants } = definition
  const { access } = loaded.config.harness
  const version = model.agent?.version ?? '(unknown version)'
  const found = await findLogin(definition, settings)
  const who = `${role} ${model.id}`
  return [
    { level: 'ok', text: `${who}: ${title} ${version}, ${settings.program}` },
    found === undefined ? withoutLogin(who, agent) : { level: 'ok', text: `${who}: logs in by ${found}` },
    agentPriceFinding(role, model, title),
    // Full access is not listed here, because it is reported with the other warnings.
    ...(role === 'target' && access === 'workspace'
      ? [{ level: 'ok' as const, text: `${who}: ${grants.workspace}` }]
      : []),
  ]
}

function withoutLogin(who: string, { definition, settings }: OpenedAgent): Finding {
  return settings.endpoint === undefined
    ? { level: 'warn', text: `${who}: no login found`, hint: definition.login }
    : { level: 'ok', text: `${who}: no key is set; the endpoint must not require one` }
}

/**
 * Reports the price of an agent's model. A cost that the agent itself reports is trusted, but most agents
 * report none.
 */
function agentPriceFinding(role: Role, { id, price }: Model, title: string): Finding {
  if (price !== undefined) return priceFinding(role, id, price)
  return {
    level: 'warn',
    text: `${role} ${id}: no price known; costs are known only if ${title} reports them`,
    hint: `--max-cost is refused; --max-calls and --max-time work. To track costs, add the model's price:\n${inConfig(role, [`model: ${id}`, priceLine])}`,
  }
}

const priceLine = 'price: { input: <in>, output: <out> }  # US dollars per million tokens'

function priceFinding(role: Role, id: string, price: Model['price']): Finding {
  if (price !== undefined) {
    return { level: 'ok', text: `${role} ${id}: $${price.input} in, $${price.output} out per million tokens` }
  }
  const near = nearModel(id)
  const question = near === undefined ? '' : `; did you mean ${near}?`
  const lines = [`model: ${id}`, priceLine]
  return {
    level: 'warn',
    text: `${role} ${id}: no price known${question}`,
    hint: `Costs will show as "unknown" and --max-cost is refused. If the name is right, add its price (0 for your own server):\n${inConfig(role, lines)}`,
  }
}

/** The most similar known model name of the same provider. Valid names may be missing from the known ones. */
function nearModel(id: string): string | undefined {
  const [provider = ''] = id.split('/')
  return nearest(
    id,
    knownModels().filter(model => model.startsWith(`${provider}/`)),
  )
}

function callHint(role: Role, id: string, error: SkillOptError): string | undefined {
  if (!(error instanceof WorldFailure)) return error.hint
  if (id.startsWith('azure/')) return azureHint(role, error)
  if (!isUnknownModel(error)) return error.hint
  const [provider = ''] = id.split('/')
  const near = nearModel(id)
  const advice = near === undefined ? 'Use the name that the provider lists.' : 'Did you mean this one?'
  return `${advice} If the name is right, check the endpoint and what your key may use:\n${inConfig(role, [
    `model: ${near ?? `${provider}/<name>`}`,
  ])}`
}

/**
 * Whether the model of a failed call does not exist. Most providers return 404; some report a bad request.
 */
function isUnknownModel({ kind, message }: WorldFailure): boolean {
  if (kind === 'not-found') return true
  const words =
    /model\b.*\b(not exist|not found|not a valid|not supported|invalid|unknown)|(unknown|invalid|no such) model|not a valid model/i
  return kind === 'rejected' && words.test(message)
}

/** Hint for an error from Azure, which needs three settings. An error in each looks different. */
function azureHint(role: Role, { kind, message, hint }: WorldFailure): string | undefined {
  if (/api.?version/i.test(message)) {
    const line = 'apiVersion: 2024-10-21  # or leave it out to call the v1 API'
    return `The resource does not support this API version:\n${inConfig(role, [line])}`
  }
  if (kind !== 'not-found') return hint
  if (/deployment|model/i.test(message)) {
    const line = 'model: azure/<deployment>'
    return `The part after azure/ must be a deployment name from the portal, not a model name:\n${inConfig(role, [line])}`
  }
  const lines = [
    'endpoint: https://<resource>.openai.azure.com',
    'apiVersion: 2024-10-21  # for a resource without the v1 API',
  ]
  return `This is not an Azure OpenAI resource, or the resource has no v1 API:\n${inConfig(role, lines)}`
}

/** Formats lines as they would appear in skillopt.yaml. */
function inConfig(role: Role, lines: readonly string[]): string {
  return ['models:', `  ${role}:`, ...lines.map(line => `    ${line}`)].join('\n')
}
