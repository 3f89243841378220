import type { LaunchChanges, LaunchForkForm } from '../../../../src/dashboard/contract/launch.js'

/** The version in the URL, if the run has it. Otherwise the run's best version, or its last. */
export function versionOf({ versions }: Pick<LaunchForkForm, 'versions'>, asked: string | null): number {
  const named = versions.find(({ version }) => String(version) === asked)
  return (named ?? versions.find(({ best }) => best) ?? versions.at(-1))?.version ?? 0
}

/** Whether the form's settings equal those of the forked run. */
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
