import { fileURLToPath } from 'node:url'

/**
 * Folder of the bundled example, which uses simulated models. The package root is two levels above both
 * `src/app` and `dist/app`.
 */
export const quickstartFolder = fileURLToPath(new URL('../../examples/quickstart', import.meta.url))
