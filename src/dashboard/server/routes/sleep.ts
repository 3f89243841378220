import { type Context, Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { z } from 'zod'
import { visible } from '../../../core/text/visible.js'
import { sleepStatus } from '../../../sleep/status/status.js'
import type { SleepLiveMessages, SleepProjectLine, SleepProjects } from '../../contract/sleep.js'
import { readBody } from '../body.js'
import type { ServerContext } from '../context.js'
import { adoptChoice, previewOf, settle, undoAdoption } from '../sleep/changes.js'
import { logOf } from '../sleep/log.js'
import { nightOf } from '../sleep/night.js'
import { lineOf, overviewOf } from '../sleep/overview.js'
import { findProjects, nightNumber, projectWith } from '../sleep/projects.js'
import { taskOf, tasksOf } from '../sleep/tasks.js'
import { type SleepWatch, watchSleep } from '../sleep/watch.js'

const name = z.string().min(1).max(1_000)
const choiceSchema = z.strictObject({
  targets: z.array(name).max(200),
  edits: z.array(name).max(5_000).optional(),
})
const adoptionSchema = z.strictObject({
  choice: choiceSchema,
  seen: z.string().regex(/^[0-9a-f]{64}$/, 'must be what the preview said'),
})
const undoSchema = z.strictObject({ receipt: z.int().positive(), force: z.boolean() })
const settleSchema = z.strictObject({})

/** Routes for the nights, tasks and proposals of Sleep's projects. */
export function sleepRoutes(context: ServerContext): Hono {
  const watched = watchSleep(context, context.signal)
  const at = (c: Context) => projectWith(c.req.param('project') ?? '', context)
  const night = (c: Context) => nightNumber(c.req.param('night') ?? '')
  return new Hono()
    .get('/sleep', async c => c.json(await projectList(context)))
    .get('/sleep/live', c => live(c, watched))
    .get('/sleep/:project', async c => c.json(await overviewOf(await at(c), context)))
    .get('/sleep/:project/log', async c => c.json(await logOf(await at(c), context.cwd)))
    .get('/sleep/:project/tasks', async c => c.json(await tasksOf(await at(c), context)))
    .get('/sleep/:project/tasks/:task', async c =>
      c.json(await taskOf(await at(c), c.req.param('task'), context)),
    )
    .get('/sleep/:project/nights/:night', async c => c.json(await nightOf(await at(c), night(c), context)))
    .post('/sleep/:project/nights/:night/preview', async c => {
      const choice = await readBody(c, choiceSchema)
      return c.json(await previewOf(await at(c), night(c), choice, context))
    })
    .post('/sleep/:project/nights/:night/adopt', async c => {
      const adoption = await readBody(c, adoptionSchema)
      return c.json(await adoptChoice(await at(c), night(c), adoption, context))
    })
    .post('/sleep/:project/undo', async c => {
      const wanted = await readBody(c, undoSchema)
      return c.json(await undoAdoption(await at(c), wanted, context))
    })
    .post('/sleep/:project/settle', async c => {
      await readBody(c, settleSchema)
      return c.json({ settled: await settle(await at(c), context) })
    })
}

async function projectList(context: ServerContext): Promise<SleepProjects> {
  const { projects, elsewhere, unknown } = await findProjects(context)
  const lines: SleepProjectLine[] = []
  for (const project of projects)
    lines.push(lineOf(project, await sleepStatus(project, context), context.cwd))
  return { projects: lines, elsewhere, unknown: unknown.map(visible) }
}

/** Milliseconds between heartbeats, which keep proxies from closing an idle stream. */
const keepAliveMs = 25_000

function live(c: Context, watched: SleepWatch): Response {
  return streamSSE(c, async stream => {
    const send = <Name extends keyof SleepLiveMessages>(event: Name, data: SleepLiveMessages[Name]) => {
      void stream.writeSSE({ event, data: JSON.stringify(data) })
    }
    const beat = setInterval(() => void stream.write(': still here\n\n'), keepAliveMs)
    await stream.write(': here\n\n')
    let stop = () => {}
    await new Promise<void>(ended => {
      stream.onAbort(ended)
      stop = watched.listen({
        changed: () => send('changed', {}),
        unwatched: reason => send('unwatched', { reason }),
        ended,
      })
    })
    clearInterval(beat)
    stop()
  })
}
