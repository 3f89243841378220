import { fileURLToPath } from 'node:url'

/** The bundled example: trains with simulated models. From `src` and from `dist` alike, the package's root is two up. */
export const quickstartFolder = fileURLToPath(new URL('../../examples/quickstart', import.meta.url))
