import { fileURLToPath } from 'node:url'

/**
 * The bundled example, which trains with simulated models. The package root is two levels up from both
 * `src/app` and `dist/app`.
 */
export const quickstartFolder = fileURLToPath(new URL('../../examples/quickstart', import.meta.url))
