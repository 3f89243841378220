/**
 * Names the objects that agents see: the kind, which is the start of the id, and a number. In the order of
 * ids, the first of a kind gets the highest number.
 */
export function nameAll(ids: Iterable<string>): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].sort()
  const left = new Map<string, number>()
  for (const id of sorted) left.set(kindOf(id), (left.get(kindOf(id)) ?? 0) + 1)
  const names = new Map<string, string>()
  for (const id of sorted) {
    const kind = kindOf(id)
    const number = left.get(kind) ?? 0
    left.set(kind, number - 1)
    names.set(id, `${kind} ${number}`)
  }
  return names
}

/** The ids of a sink and of its basin start alike; only the end of the id distinguishes them. */
function kindOf(id: string): string {
  const [kind = id] = id.split('_bar_', 1)
  return id.includes('basin') ? `${kind}basin` : kind
}
