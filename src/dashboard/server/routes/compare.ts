import { Hono } from 'hono'
import { InputError } from '../../../core/errors/errors.js'
import type { BlobRef } from '../../../core/task/task.js'
import { countTokens } from '../../../core/text/tokens.js'
import type { RunView } from '../../../core/view/run-view.js'
import {
  type ComparedRun,
  comparedAtMost,
  type RunComparison,
  type SkillSize,
} from '../../contract/compare.js'
import { curveOf, differencesOf } from '../compare/comparison.js'
import type { ServerContext } from '../context.js'
import type { LiveRun } from '../runs/types.js'

export function compareRoutes({ runs }: ServerContext): Hono {
  const routes = new Hono()
  routes.get('/compare', async c => {
    const ids = chosen(c.req.queries('run') ?? [])
    const opened = await Promise.all(ids.map(id => runs.open(id)))
    const read = await Promise.all(opened.map(async run => ({ run, view: await run.view() })))
    const comparison: RunComparison = {
      runs: await Promise.all(read.map(({ run, view }) => comparedRun(run, view))),
      settings: differencesOf(read.map(({ view }) => view)),
    }
    return c.json(comparison)
  })
  return routes
}

function chosen(ids: readonly string[]): readonly string[] {
  const different = [...new Set(ids)]
  if (different.length === 0) {
    throw new InputError('No run was named to compare.', { hint: 'Choose runs in the list of runs.' })
  }
  if (different.length > comparedAtMost) {
    throw new InputError(`${different.length} runs are too many for one chart.`, {
      hint: `Choose ${comparedAtMost} or fewer.`,
    })
  }
  return different
}

async function comparedRun(run: LiveRun, view: RunView): Promise<ComparedRun> {
  const seed = view.versions.find(({ version }) => version === 0)?.text
  return {
    summary: await run.summary(),
    points: curveOf(view),
    ...(seed === undefined ? {} : { seed: await sizeOf(run, seed) }),
    ...(view.best === undefined ? {} : { best: await sizeOf(run, view.best.text) }),
  }
}

async function sizeOf(run: LiveRun, ref: BlobRef): Promise<SkillSize> {
  const text = await run.text(ref)
  const written = text.trimEnd()
  return { lines: written === '' ? 0 : written.split('\n').length, tokens: await countTokens(text) }
}
