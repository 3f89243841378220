import { basename } from 'node:path'
import type { PairedScores } from '../../../core/comparison/skill-comparison.js'
import { valueAt } from '../../../core/config/paths.js'
import { mostSteps } from '../../../core/view/most-steps.js'
import type { RunState } from '../../../core/view/run-state.js'
import { verdictOf } from '../../../core/view/run-verdict.js'
import { createView, type Point, type RunView } from '../../../core/view/run-view.js'
import type { ReadingProgress, RunSummary } from '../../contract/runs.js'
import type { RunPlace } from './places.js'

/** Maximum number of points of a sparkline, which has no room for more. */
const sparkAtMost = 80

/** A row of the run list, from the run's view. */
export function summaryOf(
  place: RunPlace,
  view: RunView,
  { state, tested }: { readonly state: RunState; readonly tested?: PairedScores | undefined },
): RunSummary {
  const { total } = view.spending
  const scoreOf = (which: 'initial' | 'best') => view.tests.find(test => test.which === which)?.score
  const verdict = verdictOf(view, tested)
  const test = { ...some('initial', scoreOf('initial')), ...some('best', scoreOf('best')) }
  return {
    id: place.id,
    name: view.run === '' ? basename(place.directory) : view.run,
    directory: place.shown,
    state,
    kind: view.kind,
    simulated: view.simulated,
    environment: environmentOf(view.config),
    models: modelsOf(view.config),
    startedAt: view.startedAt,
    lastAt: view.lastAt,
    activeMs: view.activeMs,
    epoch: view.epoch,
    epochs: view.epochs,
    step: view.step,
    steps: mostSteps(view),
    ...some('initial', view.baseline?.score),
    ...some('best', view.best?.score),
    ...(Object.keys(test).length === 0 ? {} : { test }),
    ...some(
      'verdict',
      verdict && {
        answer: verdict.answer,
        sentence: verdict.sentence,
        ...some('gain', verdict.gain),
      },
    ),
    calls: total.calls,
    tokens: total.input + total.output,
    unknownUsage: total.unknownUsage,
    cost: total.cost,
    unknownCost: total.unknownCost,
    spark: thinned(view.series.best),
    ...some('forkedFrom', view.forkedFrom),
    ...some('importedFrom', view.importedFrom),
    ...some('sleep', place.sleep),
  }
}

/** The row for a log that cannot be read, or has not been read yet. */
export function unreadSummary(
  place: RunPlace,
  why: { readonly problem: string } | { readonly reading: ReadingProgress },
): RunSummary {
  const state = 'problem' in why ? 'unreadable' : 'running'
  return { ...summaryOf(place, createView(), { state }), ...why }
}

function some<Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: Value }
}

function environmentOf(config: unknown): string {
  const use = valueAt(config, ['environment', 'use'])
  return typeof use === 'string' ? use : ''
}

function modelsOf(config: unknown): RunSummary['models'] {
  const named = (role: string): string | undefined => {
    const model = valueAt(config, ['models', role])
    const name = typeof model === 'string' ? model : valueAt(model, ['model'])
    return typeof name === 'string' ? name : undefined
  }
  return {
    ...some('target', named('target')),
    ...some('optimizer', named('optimizer')),
    ...some('judge', named('judge')),
  }
}

/** Drops points evenly, but keeps the first and the last. */
function thinned(points: readonly Point[]): readonly Point[] {
  if (points.length <= sparkAtMost) return points
  const every = (points.length - 1) / (sparkAtMost - 1)
  return Array.from({ length: sparkAtMost }, (_, at) => points[Math.round(at * every)]).filter(
    point => point !== undefined,
  )
}
