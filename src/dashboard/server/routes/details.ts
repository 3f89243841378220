import { Hono } from 'hono'
import { evaluatedIn, testedPairs } from '../../../app/evaluation-details.js'
import type { MiningDetails, StepDetails, TestedDetails } from '../../contract/details.js'
import type { ServerContext } from '../context.js'
import { gateDetails } from '../gates/details.js'
import { NotFoundError } from '../not-found.js'
import type { LiveRun } from '../runs/types.js'

/** Routes for details that would make the run view grow without bound. */
export function detailRoutes({ runs }: ServerContext): Hono {
  return new Hono()
    .get('/runs/:run/gates/:which', async c => {
      const run = await runs.open(c.req.param('run'))
      return c.json(await gateDetails(run, c.req.param('which')))
    })
    .get('/runs/:run/steps/:step', async c => {
      const run = await runs.open(c.req.param('run'))
      return c.json(await stepDetails(run, c.req.param('step')))
    })
    .get('/runs/:run/evaluations', async c => {
      const run = await runs.open(c.req.param('run'))
      return c.json(await evaluatedIn(await run.view(), ref => run.text(ref)))
    })
    .get('/runs/:run/tested', async c => {
      const run = await runs.open(c.req.param('run'))
      const tested = await testedPairs(await run.view(), ref => run.text(ref))
      return c.json({ tested: tested ?? null } satisfies TestedDetails)
    })
    .get('/runs/:run/mining', async c => {
      const run = await runs.open(c.req.param('run'))
      return c.json(await miningDetails(run))
    })
}

async function stepDetails(run: LiveRun, named: string): Promise<StepDetails> {
  const view = await run.view()
  const step = view.steps.find(one => String(one.step) === named)?.step
  if (step === undefined)
    throw new NotFoundError(`The run ${view.run} has no such step.`, {
      hint: `It has begun ${view.steps.length} so far.`,
    })
  const [reflected, rates] = await Promise.all([
    run.eventsOf('reflect.finished'),
    run.eventsOf('rate.decided'),
  ])
  return {
    step,
    patches: reflected.filter(({ body }) => body.step === step).flatMap(({ body }) => body.patches),
    rate: rates.findLast(({ body }) => body.step === step)?.body,
  }
}

const minedShown = 500

async function miningDetails(run: LiveRun): Promise<MiningDetails> {
  const [mined, dreamed] = await Promise.all([run.eventsOf('task.mined'), run.eventsOf('task.dreamed')])
  const latest = <T>(events: readonly { readonly body: T }[]) =>
    events
      .slice(-minedShown)
      .toReversed()
      .map(({ body }) => body)
  return {
    mined: latest(mined),
    dreamed: latest(dreamed),
    more: Math.max(0, mined.length - minedShown) + Math.max(0, dreamed.length - minedShown),
  }
}
