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

/** Differences and ratios are relative to the peer with the highest mean score. */
export function peerTable(title: string, summaries: readonly Summary[], isPeer: (name: string) => boolean) {
  const peer = bestPeer(summaries, isPeer)
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

export interface WorldRow {
  readonly world: string
  readonly own: string
  readonly peer: string
  readonly possible: string
  /** Ratio of our calls and tokens to the best peer's. */
  readonly calls: string
  readonly tokens: string
}

/** Row of a world: the default trainer beside the peer with the highest mean score. */
export function worldRow(
  { world, possible }: { readonly world: string; readonly possible: number },
  summaries: readonly Summary[],
  isPeer: (name: string) => boolean,
): WorldRow {
  const own = summaries.find(({ trainer, runs }) => runs > 0 && trainer === 'ours, default')
  const peer = bestPeer(summaries, isPeer)
  const ratio = (pick: (summary: Summary) => number) =>
    own === undefined || peer === undefined ? '–' : (pick(own) / pick(peer)).toFixed(2)
  return {
    world,
    own: own === undefined ? '–' : points(own.end),
    peer: peer === undefined ? '–' : `${points(peer.end)} (${peer.trainer})`,
    possible: points(possible),
    calls: ratio(summary => summary.targetCalls),
    tokens: ratio(summary => summary.tokens),
  }
}

function bestPeer(summaries: readonly Summary[], isPeer: (name: string) => boolean): Summary | undefined {
  return summaries
    .filter(({ trainer, runs }) => runs > 0 && isPeer(trainer))
    .toSorted((one, other) => other.end - one.end)[0]
}
