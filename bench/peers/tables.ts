import { mean, points, signed } from '../figures.js'
import { count } from '../table.js'
import type { FailedRun, PeerRun } from './run.js'
import { milestones } from './scores.js'

export interface PeerTable {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export interface Summary {
  readonly trainer: string
  readonly runs: number
  readonly failed: number
  readonly end: number
  readonly worst: number
  readonly best: number
  readonly targetCalls: number
  readonly optimizerCalls: number
  readonly tokens: number
  readonly wallMs: number
  readonly at: readonly number[]
}

export function summarize(
  trainer: string,
  runs: readonly PeerRun[],
  failures: readonly FailedRun[],
): Summary {
  const own = runs.filter(run => run.trainer === trainer)
  const of = (pick: (run: PeerRun) => number) => mean(own.map(pick))
  const ends = own.map(({ end }) => end)
  return {
    trainer,
    runs: own.length,
    failed: failures.filter(run => run.trainer === trainer).length,
    end: mean(ends),
    worst: Math.min(...ends),
    best: Math.max(...ends),
    targetCalls: of(run => run.targetCalls),
    optimizerCalls: of(run => run.optimizerCalls),
    tokens: of(run => run.tokens),
    wallMs: of(run => run.wallMs),
    at: milestones.map((_, index) => of(run => run.at[index] ?? 0)),
  }
}

const head = [
  'trainer',
  'runs',
  'true score (worst, best)',
  'target calls',
  'optimizer calls',
  'tokens',
  'seconds',
  ...milestones.map(calls => `at ${count(calls)}`),
  'to the best peer: score',
  'calls',
  'tokens, ratio',
  'time',
]

/** Differences and ratios are to the peer that reached the highest mean score. */
export function peerTable(title: string, summaries: readonly Summary[], isPeer: (name: string) => boolean) {
  const [peer] = summaries
    .filter(({ trainer, runs }) => runs > 0 && isPeer(trainer))
    .toSorted((one, other) => other.end - one.end)
  const ratio = (own: number, other: number | undefined) =>
    other === undefined ? '–' : (own / other).toFixed(2)
  const rows = summaries.map(own => {
    const failed = own.failed === 0 ? [] : [`${own.failed} failed`]
    if (own.runs === 0) return [own.trainer, failed.join(''), ...head.slice(2).map(() => '–')]
    return [
      own.trainer === peer?.trainer ? `${own.trainer} (best peer)` : own.trainer,
      [String(own.runs), ...failed].join(', '),
      `${points(own.end)} (${points(own.worst)}, ${points(own.best)})`,
      count(own.targetCalls),
      count(own.optimizerCalls),
      count(own.tokens),
      (own.wallMs / 1000).toFixed(1),
      ...own.at.map(points),
      peer === undefined ? '–' : signed(own.end - peer.end),
      ratio(own.targetCalls, peer?.targetCalls),
      ratio(own.tokens, peer?.tokens),
      ratio(own.wallMs, peer?.wallMs),
    ]
  })
  return { title, head, rows } satisfies PeerTable
}

export function markdownTable({ head, rows }: PeerTable): string {
  return [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')
}
