import type { SensitiveFinding } from '../../../src/core/redaction/sensitive.js'
import { Badge } from './badge.js'
import { visibleLine } from './format.js'

/** Additions of an edit that need review: addresses, shell commands, credential paths and secrets. */
export function Additions({ findings }: { readonly findings: readonly SensitiveFinding[] }) {
  if (findings.length === 0) return null
  return (
    <ul className="additions" aria-label="Brings in">
      {findings.map(({ kind, text }) => (
        <li key={`${kind} ${text}`}>
          <Badge tone="bad">new {kind}</Badge> <code>{visibleLine(text)}</code>
        </li>
      ))}
    </ul>
  )
}
