import { join } from 'node:path'
import { WorldFailure } from '../core/errors/errors.js'
import type { Sandbox } from '../core/ports/sandbox.js'
import { findProgram, isExecutable, pathFolders } from '../system/programs.js'
import { runChild } from './child.js'
import { contentsOf, watchFolder } from './folder.js'

/** Advice in error messages, for users who accept the risk. */
export const orUnprotected =
  'To run commands without any protection instead, which is unsafe, give --unsafe-no-sandbox or set `sandbox: none`.'

/**
 * Runs commands without protection: they may read, write and send whatever the user may. Only time, output
 * and writes to the folder are limited. The environment is empty, so that no key is passed on needlessly.
 */
export function createUnprotected(): Sandbox {
  const find = (program: string, readOnly: readonly string[]) =>
    findProgram(program, [...readOnly.map(folder => join(folder, 'bin')), ...pathFolders(process.env.PATH)])
  return {
    id: 'none',
    check: async () => undefined,
    has: async (program, readOnly = []) => (await find(program, readOnly)) !== undefined,
    async run([program = '', ...rest], job) {
      const found = await find(program, job.readOnly ?? [])
      const path = found === undefined || found.startsWith('/') ? found : join(job.workspace, found)
      if (path === undefined || !(await isExecutable(path))) {
        throw new WorldFailure('harness', `There is no program "${program}" to run.`, { retryable: false })
      }
      const { workspace } = job
      const env = { PATH: process.env.PATH, HOME: workspace, TMPDIR: workspace, LANG: 'C.UTF-8' }
      const watchGrowth = watchFolder(workspace, job.limits, await contentsOf(workspace))
      const {
        report: _,
        cut: __,
        ...result
      } = await runChild([path, ...rest], job, {
        cwd: workspace,
        env,
        watch: (_report, cut) => watchGrowth(cut),
      })
      return result
    },
  }
}
