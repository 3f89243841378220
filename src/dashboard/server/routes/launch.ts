import { Hono } from 'hono'
import { z } from 'zod'
import { readBody } from '../body.js'
import type { ServerContext } from '../context.js'
import { createStops } from '../launch/stop.js'
import { createTrainings } from '../launch/trainings.js'

const id = z.string().max(200)
/** Made by the page; pages that come over plain HTTP have no `randomUUID`. */
const key = z.string().regex(/^[0-9a-f]{32}$/)
const wanted = z.strictObject({
  project: id,
  changes: z.record(z.string().max(200), z.string().max(10_000)),
  fork: z.strictObject({ run: id, version: z.int().nonnegative() }).optional(),
})
const startRequest = wanted.extend({ key, agreed: id.optional() })

const cap = z.number().positive().optional()
const wholeCap = z.int().positive().optional()
const resumeRequest = z.strictObject({
  key,
  limits: z.strictObject({ maxCalls: wholeCap, maxTokens: wholeCap, maxCost: cap, maxTime: cap }),
  agreed: z.literal(true),
})
const stopRequest = z.strictObject({ how: z.enum(['politely', 'at once']) })

/** Configure, start, stop, go on with and fork trainings. */
export function launchRoutes(context: ServerContext): Hono {
  const trainings = createTrainings(context)
  const stops = createStops()
  return new Hono()
    .get('/launch/projects', async c => c.json(await trainings.projects()))
    .get('/launch/options', async c => c.json(await trainings.options()))
    .get('/launch/forks/:run', async c => c.json(await trainings.forkForm(c.req.param('run'))))
    .post('/launch/check', async c =>
      c.json(await trainings.check(await readBody(c, wanted), c.req.raw.signal)),
    )
    .post('/launch/forecast', async c =>
      c.json(await trainings.forecast(await readBody(c, wanted), c.req.raw.signal)),
    )
    .post('/launch/start', async c => c.json(await trainings.start(await readBody(c, startRequest))))
    .post('/runs/:run/resume', async c =>
      c.json(await trainings.resume(c.req.param('run'), await readBody(c, resumeRequest))),
    )
    .post('/runs/:run/stop', async c => {
      const { how } = await readBody(c, stopRequest)
      const { directory } = await context.runs.open(c.req.param('run'))
      return c.json(await stops.stop(directory, how))
    })
}
