import { Hono } from 'hono'
import { lineOrigins } from '../../../core/skill/document.js'
import type { RunView } from '../../../core/view/run-view.js'
import type { OriginDetail, OriginLabel, SkillSource, SkillVersions } from '../../contract/skill.js'
import type { ServerContext } from '../context.js'
import { NotFoundError } from '../not-found.js'
import type { LiveRun } from '../runs/types.js'
import { findSkill, type KnownSkill, knownSkills } from '../skill/known-skills.js'
import { originDetail, originLabel } from '../skill/origins.js'
import { tracedSkill } from '../skill/traced.js'

/** Routes for the texts of a run's skills and the origin of each line. */
export function skillRoutes({ runs }: ServerContext): Hono {
  const opened = async (id: string) => {
    const run = await runs.open(id)
    const view = await run.view()
    return { run, view, known: await knownSkills(view, ref => run.text(ref)) }
  }
  return new Hono()
    .get('/runs/:run/versions', async context => {
      const { known } = await opened(context.req.param('run'))
      return context.json(listOf(known))
    })
    .get('/runs/:run/versions/:version', async context => {
      const { run, view, known } = await opened(context.req.param('run'))
      return context.json(
        await sourceOf(run, view, known, findSkill(view, known, context.req.param('version'))),
      )
    })
    .get('/runs/:run/versions/:version/download', async context => {
      const { run, view, known } = await opened(context.req.param('run'))
      const { shown, text } = findSkill(view, known, context.req.param('version'))
      // The file name comes from the run, never from the URL.
      const name = shown.isBest ? 'best_skill.md' : `skill_${shown.id.replaceAll(/[^\w.-]/g, '_')}.md`
      return context.body(await textOf(run, view, text), 200, {
        'content-type': 'text/plain; charset=utf-8',
        'content-disposition': `attachment; filename="${name}"`,
      })
    })
    .get('/runs/:run/origins/:origin', async context => {
      const { run, view, known } = await opened(context.req.param('run'))
      const detail: OriginDetail = await originDetail(run, view, known, context.req.param('origin'))
      if (detail.kind !== 'unknown') return context.json(detail)
      throw new NotFoundError('The log of this run does not say where this came from.', {
        hint: 'Choose another line of the skill.',
      })
    })
}

function listOf(known: readonly KnownSkill[]): SkillVersions {
  const versions = known.map(({ shown }) => shown)
  const best = versions.find(({ isBest }) => isBest) ?? versions.findLast(({ hasText }) => hasText)
  return { versions, ...(best === undefined ? {} : { best: best.id }) }
}

async function sourceOf(
  run: LiveRun,
  view: RunView,
  known: readonly KnownSkill[],
  skill: KnownSkill,
): Promise<SkillSource> {
  await textOf(run, view, skill.text)
  const { document, isTraced } = await tracedSkill(run, view, known, skill)
  const lines = lineOrigins(document).map(({ line, origins }) => ({ text: line, origins }))
  const used = new Set(lines.flatMap(({ origins }) => origins))
  const origins: Record<string, OriginLabel> = Object.fromEntries(
    [...used].map(origin => [origin, originLabel(view, origin)]),
  )
  return { version: skill.shown, text: document.text, lines, origins, isTraced }
}

async function textOf(run: LiveRun, view: RunView, text: string | undefined): Promise<string> {
  if (text !== undefined) return run.text(text)
  throw new NotFoundError('The log of this run has no text of this skill.', {
    hint: `It was trained by another run: ${view.comparison?.trained ?? 'see what the run was started with'}.`,
  })
}
