import type { LaunchChanges, LaunchForkForm } from '../../../../src/dashboard/contract/launch.js'

/** The version that the address names, if the run has it; otherwise its best, or the last. */
export function versionOf({ versions }: Pick<LaunchForkForm, 'versions'>, asked: string | null): number {
  const named = versions.find(({ version }) => String(version) === asked)
  return (named ?? versions.find(({ best }) => best) ?? versions.at(-1))?.version ?? 0
}

/** Whether the settings on the page are those of the run that is forked. */
export function isAsInRun(
  fork: Pick<LaunchForkForm, 'project' | 'changes'>,
  project: string | undefined,
  changes: LaunchChanges,
): boolean {
  const [theirs, ours] = [Object.entries(fork.changes), Object.keys(changes)]
  return (
    fork.project === project &&
    theirs.length === ours.length &&
    theirs.every(([path, value]) => changes[path] === value)
  )
}
