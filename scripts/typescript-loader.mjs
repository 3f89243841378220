/** `node --import <this> file.ts`: for processes and threads that run from the sources, as in tests. */
import { register } from 'node:module'

register('./typescript-hooks.mjs', import.meta.url)
