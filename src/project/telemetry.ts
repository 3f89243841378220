import { resolveModel } from '../core/config/config.js'
import type { Variables } from '../core/config/variables.js'
import type { Role } from '../core/ports/model.js'
import { redactSecrets } from '../core/redaction/known-secrets.js'
import { checkSpanPackages, openTelemetry, prepareLogFile, telemetrySettings } from '../telemetry/index.js'
import type { Setup } from '../trainer/loops/setup.js'
import type { LoadedProject } from './load.js'

/** Returns the readers that send the event log to telemetry; undefined if telemetry is off. */
export async function telemetryOf({ config, env, baseDir }: LoadedProject): Promise<Setup['readers']> {
  const named = (
    Object.entries(config.models) as [Role, Parameters<typeof resolveModel>[0] | undefined][]
  ).flatMap(([role, reference]) =>
    reference === undefined ? [] : [[role, resolveModel(reference, role)] as const],
  )
  const keys = named.flatMap(([, { apiKeyEnv }]) => apiKeyEnv ?? [])
  const secrets = secretsIn(env, keys)
  const settings = telemetrySettings({
    config: config.telemetry,
    env,
    baseDir,
    models: Object.fromEntries(named.map(([role, { model }]) => [role, model])),
    redact: text => redactSecrets(text, secrets),
  })
  if (settings?.spans !== undefined) await checkSpanPackages()
  if (settings?.log !== undefined) await prepareLogFile(settings.log.file)
  return settings === undefined ? undefined : context => openTelemetry(settings, context)
}

/**
 * Returns the values of variables whose names suggest secrets. Values of fewer than 8 characters are skipped,
 * because they would match everywhere.
 */
function secretsIn(env: Variables, keys: readonly string[]): string[] {
  const isSecret = (name: string) => keys.includes(name) || /key|token|secret|passw|credential/i.test(name)
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= 8 && isSecret(name) ? [value] : [],
  )
}
