import { type AgentDefinition, standingOf, type VersionStanding } from './definition.js'
import { closePlace, openPlace } from './place.js'
import { environmentOf, runAgent, usualLimits, type Variables } from './process.js'

/** Generous: any agent prints its version at once. */
const seconds = 30

/**
 * Asks the installed agent for its version, in separate folders, because some agents write settings on their
 * first start.
 */
export async function askVersion(
  { title, version }: Pick<AgentDefinition, 'title' | 'version'>,
  program: string,
  { env, signal, root }: { readonly env: Variables; readonly signal: AbortSignal; readonly root?: string },
): Promise<{ readonly version: string | undefined; readonly standing: VersionStanding }> {
  const place = await openPlace(root)
  try {
    const printed: string[] = []
    const environment = environmentOf(place, env, [], {})
    const { stderr } = await runAgent(
      { title, program, arguments: version.arguments, environment },
      place,
      { ...usualLimits, seconds },
      line => {
        printed.push(line)
        return undefined
      },
      signal,
    )
    // Some agents print it to stderr without a terminal.
    const found = version.read([...printed, stderr].join('\n'))
    return { version: found, standing: standingOf(found, version.tested) }
  } finally {
    await closePlace(place)
  }
}
