import { commonKeys, ownKeys } from './environments.js'
import { directKeys, flatNames, harmless, onlyOff, trainingKeys } from './keys.js'
import { modelKeys } from './settings.js'

/** Every key of the reference's config that is known here, with its section. */
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

/** Old files, the command line and the config.json of a run name keys without their section. */
export function structuredName(key: string): string {
  return flatNames[key] ?? byFlatName.get(key) ?? key
}

/** Keys whose name without the section says too little: they have another one, or none. */
const onlySectioned = /^(model\.(optimizer|target)|env\.name|human_feedback\.\w+)$/

/** The first one counts: where two sections have a key of the same name, it is the section that it began in. */
const byFlatName = new Map(
  knownKeys
    .filter(key => !onlySectioned.test(key))
    .map(key => [key.slice(key.indexOf('.') + 1), key] as const)
    .reverse(),
)

/** Whether a name without a section stands for a key of the reference. */
export const isFlatName = (key: string): boolean => Object.hasOwn(flatNames, key) || byFlatName.has(key)

/** What the reference's own command line takes besides `--config` and `--cfg-options`. */
export const flagNames: readonly string[] = [...Object.keys(flatNames), ...byFlatName.keys()]
