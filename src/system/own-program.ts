import { fileURLToPath } from 'node:url'

const isSource = import.meta.url.endsWith('.ts')
const loader = new URL('../../scripts/typescript-loader.mjs', import.meta.url).href

/**
 * Locates a module of ours that runs as a process or a thread: its file beside the caller's, and the Node
 * options to load it. From source, as in tests, the options add a TypeScript loader; the build needs none.
 */
export function ownProgram(name: string, beside: string): { file: string; execArgv: readonly string[] } {
  return {
    file: fileURLToPath(new URL(`${name}.${isSource ? 'ts' : 'js'}`, beside)),
    execArgv: isSource ? ['--import', loader] : [],
  }
}
