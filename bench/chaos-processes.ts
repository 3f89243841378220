import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { startFaultyServer } from './chaos-faults.js'
import { ChaosProject, type ChaosRow, compared, sizes } from './chaos-training.js'
import { readEvents } from './crash-runs.js'
import { serve } from './dashboard-server.js'

/** Kills the dashboard repeatedly while a training writes the run that it shows. */
export async function killDashboards(kills: number, random: () => number): Promise<ChaosRow> {
  const server = await startFaultyServer(0)
  const project = await ChaosProject.create(server.url)
  try {
    await project.toEnd('undisturbed')
    let [happened, lost, wrongScores, runs] = [0, 0, 0, 0]
    while (happened < kills) {
      const name = `watched-${runs++}`
      let isOver = false
      const training = project.toEnd(name).finally(() => {
        isOver = true
      })
      while (!isOver && happened < kills) {
        const dashboard = await serve(project.folder)
        const listed = await dashboard.runs()
        if (!listed.some(({ id }) => id.includes('undisturbed'))) lost += 1
        await sleep(random() * 300)
        process.kill(dashboard.pid, 'SIGKILL')
        happened += 1
      }
      await training
      const { isSame, wrongScores: wrong } = await compared(project.out(name), project.out('undisturbed'))
      if (!isSame) lost += 1
      wrongScores += wrong
    }
    const note = `over ${runs} trainings that went on`
    return { what: 'kill -9 of the dashboard', happened, lost, wrongScores, caps: '-', note }
  } finally {
    await server.close()
    await project.remove()
  }
}

/**
 * The server of the simulated models is a child of the training. Without it the run must wait and must not
 * score.
 */
export async function killChildren(kills: number, random: () => number): Promise<ChaosRow> {
  const models = (role: string) => ({
    model: `simulated/${role}`,
    endpoint: undefined,
    // Detect the dead server quickly: it is not restarted within a session.
    retries: 1,
  })
  const project = await ChaosProject.create('http://127.0.0.1:9', { models })
  try {
    await project.toEnd('undisturbed')
    const events = (await readEvents(project.out('undisturbed'))).length
    let [happened, lost, wrongScores] = [0, 0, 0]
    for (let run = 0; happened < kills; run++) {
      const name = `orphaned-${run}`
      const moment = 1 + Math.floor(random() * (events - 1))
      let isDone = false
      const { code } = await project.session(name, {
        started: (child, onEvent) =>
          onEvent(count => {
            if (count < moment || isDone) return
            isDone = true
            void killChildrenOf(child.pid ?? 0).then(killed => {
              happened += killed
            })
          }),
      })
      if (code !== 0) await project.toEnd(name)
      const { isSame, wrongScores: wrong } = await compared(project.out(name), project.out('undisturbed'))
      if (!isSame) lost += 1
      wrongScores += wrong
      if (run > 4 * kills + 10) throw new Error('The training has no children that could be killed.')
    }
    const note = `trainings on ${sizes.train + sizes.val + sizes.test} tasks`
    return { what: 'kill -9 of child processes', happened, lost, wrongScores, caps: '-', note }
  } finally {
    await project.remove()
  }
}

async function killChildrenOf(pid: number): Promise<number> {
  let listed: string
  try {
    listed = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  } catch {
    // The process has already ended.
    return 0
  }
  const children = listed.split(' ').filter(child => child.trim() !== '')
  for (const child of children) process.kill(Number(child), 'SIGKILL')
  return children.length
}
