import { commonKeys, ownKeys } from './environments.js'
import { directKeys, flatNames, harmless, onlyOff, trainingKeys } from './keys.js'
import { modelKeys } from './settings.js'

/** Every known key of the reference's config, with its section. */
export const knownKeys: readonly string[] = [
  ...new Set([
    ...Object.keys(directKeys),
    ...Object.keys(onlyOff),
    ...trainingKeys,
    ...commonKeys,
    ...ownKeys,
    ...modelKeys,
    ...harmless.flatMap(({ keys }) => keys),
  ]),
]

/**
 * The full name of a key without a section. Such keys occur in old files, on the command line and in a run's
 * config.json.
 */
export function structuredName(key: string): string {
  return flatNames[key] ?? byFlatName.get(key) ?? key
}

/** Keys that are ambiguous without their section. They have a different short name, or none. */
const onlySectioned = /^(model\.(optimizer|target)|env\.name|human_feedback\.\w+)$/

/**
 * Keys by their name without a section. If two sections share a name, the section that has it first wins,
 * because the key originated there.
 */
const byFlatName = new Map(
  knownKeys
    .filter(key => !onlySectioned.test(key))
    .map(key => [key.slice(key.indexOf('.') + 1), key] as const)
    .reverse(),
)

/** Whether a name without a section is a key of the reference. */
export const isFlatName = (key: string): boolean => Object.hasOwn(flatNames, key) || byFlatName.has(key)

/** Flags of the reference's command line besides `--config` and `--cfg-options`. */
export const flagNames: readonly string[] = [...Object.keys(flatNames), ...byFlatName.keys()]
