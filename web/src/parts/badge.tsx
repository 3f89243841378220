import type { ReactNode } from 'react'
import type { RunState } from '../../../src/core/view/run-state.js'

export type BadgeTone = 'good' | 'bad' | 'warn' | 'info' | 'plain'

/** A word in a coloured pill. The word carries the meaning; the colour only helps to find it. */
export function Badge({
  tone = 'plain',
  title,
  children,
}: {
  readonly tone?: BadgeTone
  readonly title?: string
  readonly children: ReactNode
}) {
  return (
    <span className={`badge badge-${tone}`} title={title}>
      {children}
    </span>
  )
}

const toneOfState: Readonly<Record<RunState, BadgeTone>> = {
  running: 'info',
  finished: 'good',
  paused: 'warn',
  'cap reached': 'warn',
  interrupted: 'warn',
  killed: 'bad',
  failed: 'bad',
  unreadable: 'bad',
}

const meaningOfState: Readonly<Record<RunState, string>> = {
  running: 'Its process is at work.',
  finished: 'It came to its end.',
  paused: 'It stopped by itself and can be resumed.',
  'cap reached': 'It reached a limit that was set for it, and can be resumed with a higher one.',
  interrupted: 'Somebody stopped it. It can be resumed.',
  killed: 'Its process is gone without having said why. It can be resumed.',
  failed: 'It stopped on an error.',
  unreadable: 'Its log cannot be read.',
}

export function StateBadge({ state }: { readonly state: RunState }) {
  return (
    <Badge tone={toneOfState[state]} title={meaningOfState[state]}>
      {state === 'running' && <span className="badge-pulse" aria-hidden="true" />}
      {state}
    </Badge>
  )
}

/** Marks simulated figures, so that nobody mistakes them for those of a model. */
export function SimulatedBadge() {
  return (
    <Badge tone="plain" title="Its models are simulated: nothing was asked of a provider, nothing was paid.">
      simulated
    </Badge>
  )
}
