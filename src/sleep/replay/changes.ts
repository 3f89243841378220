import type { FileState, FolderState } from './folder-state.js'

export interface Change {
  readonly how: 'changed' | 'added' | 'renamed' | 'deleted'
  readonly path: string
  /** The old path if the file was renamed. */
  readonly from?: string
  readonly before?: FileState
  readonly after?: FileState
}

/**
 * Lists the changes, most informative first: changed files, then new ones, then deleted ones, each group
 * sorted by path. A file that was moved without a change of content counts as one change.
 */
export function changesBetween(before: FolderState, after: FolderState): readonly Change[] {
  const gone = new Map(inOrder(before).filter(([path]) => !after.files.has(path)))
  const movable = pathsByContent(gone)
  const now = inOrder(after).flatMap(([path, state]): Change[] => {
    const then = before.files.get(path)
    if (then !== undefined)
      return isSame(then, state) ? [] : [{ how: 'changed', path, before: then, after: state }]
    const from = hasContent(state) ? movable.get(state.hash)?.shift() : undefined
    if (from === undefined) return [{ how: 'added', path, after: state }]
    gone.delete(from)
    return [{ how: 'renamed', path, from, after: state }]
  })
  const [changed, others] = [now.filter(isChanged), now.filter(change => !isChanged(change))]
  const deleted = [...gone].map(([path, state]): Change => ({ how: 'deleted', path, before: state }))
  return [...changed, ...others, ...deleted]
}

const isChanged = ({ how }: Change): boolean => how === 'changed'

function inOrder({ files }: FolderState): readonly (readonly [path: string, state: FileState])[] {
  return [...files].sort(([one], [other]) => (one < other ? -1 : 1))
}

function pathsByContent(files: ReadonlyMap<string, FileState>): ReadonlyMap<string, string[]> {
  const paths = new Map<string, string[]>()
  for (const [path, state] of files) {
    if (hasContent(state)) paths.set(state.hash, [...(paths.get(state.hash) ?? []), path])
  }
  return paths
}

/** Empty files are excluded, because their content cannot identify a rename. */
const hasContent = ({ kind, bytes }: FileState): boolean => kind === 'file' && bytes > 0

const isSame = (one: FileState, other: FileState): boolean =>
  one.kind === other.kind && one.hash === other.hash && one.mayRun === other.mayRun
