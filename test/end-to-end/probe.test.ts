import { it } from 'vitest'
import { simulatedServer, writeProject, temporaryFolder, skillopt, key, resultOf } from './support.js'
it('probe', async () => {
  for (const worldSeed of [1,2,3,4,5,6,7,8,9,10,11,12]) {
  const server = await simulatedServer()
  const cwd = await temporaryFolder()
  await writeProject(cwd, { endpoint: server.url, worldSeed })
  const t = Date.now()
  const r = await skillopt(['train', '--out', 'run', '--yes'], { cwd, env: key })
  const o = await resultOf(cwd + '/run'); console.log(worldSeed, r.code, Date.now() - t, server.counters.requests, o.verdicts.map(v => v.what+' '+v.action+' '+v.score).join(', '))
  }
}, 60000)
