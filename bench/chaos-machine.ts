import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startFaultyServer } from './chaos-faults.js'
import { ChaosProject, type ChaosRow, compared } from './chaos-training.js'

/** Run directories on a disk that keeps filling up: it grows a little after each failure of the training. */
export async function fillDisks(times: number, random: () => number): Promise<ChaosRow | undefined> {
  const what = 'full disk'
  if (process.getuid?.() !== 0) return undefined
  const server = await startFaultyServer(0)
  const project = await ChaosProject.create(server.url)
  const disk = join(project.folder, 'disk')
  mkdirSync(disk)
  try {
    await project.toEnd('undisturbed')
    let [happened, lost, wrongScores] = [0, 0, 0]
    while (happened < times) {
      let kibibytes = 16 + Math.floor(random() * 100)
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'skillopt-chaos', disk])
      try {
        const out = join(disk, 'run')
        for (;;) {
          const { code, stderr } = await project.session('full', { out })
          if (code === 0) break
          if (/This is a bug|^\s+at /m.test(stderr)) throw new Error(`A full disk was told as:\n${stderr}`)
          happened += 1
          kibibytes += 40 + Math.floor(random() * 400)
          execFileSync('mount', ['-o', `remount,size=${kibibytes}k`, disk])
          if (kibibytes > 100_000) throw new Error(`It does not end with ${kibibytes} KiB either:\n${stderr}`)
        }
        const { isSame, wrongScores: wrong } = await compared(out, project.out('undisturbed'))
        if (!isSame) lost += 1
        wrongScores += wrong
      } finally {
        execFileSync('umount', [disk])
      }
    }
    return { what, happened, lost, wrongScores, caps: '-', note: 'a tmpfs that grows after each failure' }
  } finally {
    await server.close()
    await project.remove()
  }
}

/** A training whose clock jumps by days, with a time cap that only real time may reach. */
export async function jumpClocks(times: number): Promise<ChaosRow> {
  const server = await startFaultyServer(0)
  const project = await ChaosProject.create(server.url)
  const preload = new URL('chaos-clock.js', import.meta.url).href
  try {
    await project.toEnd('undisturbed')
    let [lost, wrongScores] = [0, 0]
    for (let run = 0; run < times; run++) {
      const env = { NODE_OPTIONS: `--import ${preload}` }
      const more = ['--max-time', '30']
      const name = `jumping-${run}`
      let kill: NodeJS.Timeout | undefined
      // Killed once, so that the time of an earlier session is read from its log.
      await project.session(name, {
        env,
        more,
        started: child => {
          kill = setTimeout(() => child.kill('SIGKILL'), 900)
        },
      })
      clearTimeout(kill)
      await project.toEnd(name, { env, more })
      const { isSame, wrongScores: wrong } = await compared(project.out(name), project.out('undisturbed'))
      if (!isSame) lost += 1
      wrongScores += wrong
    }
    const note = 'up to 2 days, 50 times a second; a cap of 30 minutes stopped none'
    return { what: 'clock jumps', happened: times, lost, wrongScores, caps: '-', note }
  } finally {
    await server.close()
    await project.remove()
  }
}
