import { expect, it } from 'vitest'
import { makeNightMachine, nightsOf, writeSettings, writeWeek } from '../support/sleep/night-machine.js'
import { run } from './sleep-support.js'
import { parcelServer } from './support.js'

it('x', { timeout: 200_000 }, async () => {
  const server = await parcelServer({ keepLog: true })
  const machine = await makeNightMachine()
  await writeWeek(machine, 1)
  await writeSettings(machine, server.url)
  console.time('night')
  const out = await run(machine, ['sleep', 'run', '--yes'])
  console.timeEnd('night')
  console.log(out.code, out.stdout, out.stderr, server.counters)
  console.log(JSON.stringify((await nightsOf(machine)).map(n => n.outcome), null, 1))
  for (const args of [['sleep','review'],['sleep','status'],['sleep','run','--yes']]) { const o = await run(machine,args); console.log(args, o.code, o.stdout, o.stderr) }
})
