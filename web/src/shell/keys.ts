export type KeyAction =
  | { readonly kind: 'go'; readonly path: string }
  | { readonly kind: 'search' }
  | { readonly kind: 'help' }

/** The keyboard shortcuts, in the order of the help. */
export const keys: readonly {
  readonly keys: readonly string[]
  readonly does: string
  readonly action: KeyAction
}[] = [
  { keys: ['g', 'r'], does: 'Go to the runs', action: { kind: 'go', path: '/' } },
  { keys: ['g', 't'], does: 'Go to a new training', action: { kind: 'go', path: '/launch' } },
  { keys: ['g', 's'], does: 'Go to Sleep', action: { kind: 'go', path: '/sleep' } },
  { keys: ['/'], does: 'Search on this page', action: { kind: 'search' } },
  { keys: ['?'], does: 'Show these keys', action: { kind: 'help' } },
]

/** Maximum milliseconds between the two keys of a shortcut. */
const patience = 1_500

/** Creates a function that reads keys one by one and returns the action when they form a shortcut. */
export function createKeyReader(now: () => number): (key: string) => KeyAction | undefined {
  let before = { key: '', at: Number.NEGATIVE_INFINITY }
  return key => {
    const at = now()
    const first = at - before.at <= patience ? before.key : ''
    const found =
      keys.find(({ keys: [one, two] }) => two !== undefined && one === first && two === key) ??
      keys.find(({ keys: [one, two] }) => two === undefined && one === key)
    before = found === undefined ? { key, at } : { key: '', at }
    return found?.action
  }
}

/** Whether a key press is meant for the dashboard and not for the focused element or the browser. */
export function isOurs(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'target'>,
): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) return false
  const { target } = event
  if (!(target instanceof Element)) return true
  return target.closest('input, textarea, select, dialog, [contenteditable]') === null
}
