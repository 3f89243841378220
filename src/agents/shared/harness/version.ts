import { type AgentDefinition, type VersionSupport, versionSupport } from './definition.js'
import { closePlace, openPlace } from './place.js'
import { defaultLimits, environmentOf, runAgent, type Variables } from './process.js'

/** Agents print their version at once, so a slow start is the only reason to wait. */
const timeoutSeconds = 30

/**
 * Asks the installed agent for its version. It runs in temporary folders, because some agents write settings
 * on their first start.
 */
export async function readVersion(
  { title, version }: Pick<AgentDefinition, 'title' | 'version'>,
  program: string,
  { env, signal, root }: { readonly env: Variables; readonly signal: AbortSignal; readonly root?: string },
): Promise<{ readonly version: string | undefined; readonly standing: VersionSupport }> {
  const place = await openPlace(root)
  try {
    const printed: string[] = []
    const environment = environmentOf(place, env, { named: [], set: {} })
    const { stderr } = await runAgent(
      { title, program, arguments: version.arguments, environment },
      {
        place,
        limits: { ...defaultLimits, seconds: timeoutSeconds },
        onLine: line => {
          printed.push(line)
          return undefined
        },
        signal,
      },
    )
    // Without a terminal, some agents print their version to stderr.
    const found = version.read([...printed, stderr].join('\n'))
    return { version: found, standing: versionSupport(found, version.tested) }
  } finally {
    await closePlace(place)
  }
}
