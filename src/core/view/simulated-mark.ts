import type { RunView } from './fold.js'

/** Whether no model of the run can cost anything. One simulated model among paid ones does not make it free. */
export function isFree(view: RunView): boolean {
  const models = modelsOf(view.config)
  return view.simulated && models.every(model => model.startsWith('simulated/'))
}

/** A word to stand beside everything that a simulated model had a part in. */
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
