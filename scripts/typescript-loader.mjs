/** `node --import <this> file.ts`: for processes and threads that run from the sources, as those of tests do. */
import { register } from 'node:module'

register('./typescript-hooks.mjs', import.meta.url)
