import { InputError, WorldFailure } from '../core/errors/errors.js'
import type { Sandbox } from '../core/ports/sandbox.js'
import { createBubblewrap } from './bubblewrap.js'
import { createUnprotected, orUnprotected } from './none.js'
import { createSandboxExec } from './sandbox-exec.js'

/** Starts and looks for nothing before the sandbox is used, because most projects never use it. */
export function createSandbox(mode: 'auto' | 'none', platform: NodeJS.Platform = process.platform): Sandbox {
  if (mode === 'none') return createUnprotected()
  if (platform === 'linux') return createBubblewrap()
  return platform === 'darwin' ? createSandboxExec() : createRefusal(platform)
}

function createRefusal(platform: string): Sandbox {
  const message = `Commands run in a sandbox, and there is none for this system (${platform}).`
  const hint = `Run it on Linux with bubblewrap, in a virtual machine or WSL 2. ${orUnprotected}`
  return {
    id: 'refused',
    check: async () => {
      throw new InputError(message, { hint })
    },
    has: async () => false,
    run: async () => {
      throw new WorldFailure('harness', message, { retryable: false, hint })
    },
  }
}
