import type { RunView } from './fold.js'

/** Whether every model of the run is simulated, and so free. One among paid ones is not enough. */
export function isFree(view: RunView): boolean {
  const models = modelsOf(view.config)
  return view.simulated && models.every(model => model.startsWith('simulated/'))
}

/** A label to show next to every result that a simulated model contributed to. */
export function simulatedMark(view: RunView): string | undefined {
  if (!view.simulated) return undefined
  return isFree(view) ? 'simulated' : 'partly simulated'
}

function modelsOf(config: unknown): string[] {
  const models = (config as { models?: Record<string, unknown> } | undefined)?.models ?? {}
  return Object.values(models).flatMap(model => {
    const name = typeof model === 'string' ? model : (model as { model?: unknown } | undefined)?.model
    return typeof name === 'string' ? [name] : []
  })
}
