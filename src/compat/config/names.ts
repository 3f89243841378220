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

/** Resolves keys without a section, as in old files, the command line and a run's config.json. */
export function structuredName(key: string): string {
  return flatNames[key] ?? byFlatName.get(key) ?? key
}

/** Keys whose name is ambiguous without the section: they have a different flat name, or none. */
const onlySectioned = /^(model\.(optimizer|target)|env\.name|human_feedback\.\w+)$/

/** If two sections have a key of the same name, the first wins: the section where the key originated. */
const byFlatName = new Map(
  knownKeys
    .filter(key => !onlySectioned.test(key))
    .map(key => [key.slice(key.indexOf('.') + 1), key] as const)
    .reverse(),
)

/** True if a name without a section is a key of the reference. */
export const isFlatName = (key: string): boolean => Object.hasOwn(flatNames, key) || byFlatName.has(key)

/** Flags of the reference's command line besides `--config` and `--cfg-options`. */
export const flagNames: readonly string[] = [...Object.keys(flatNames), ...byFlatName.keys()]
