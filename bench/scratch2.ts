import { runInProcess } from './worlds/in-process.js'
import { worldSpec } from './worlds/spec.js'
import { createWorld } from './worlds/world.js'
const [name = '', seed, detail] = process.argv.slice(2)
const world = createWorld(worldSpec(name), Number(seed))
const run = await runInProcess(world, { seed: Number(seed) })
let v = 0
const content = new Map<string, string>()
for (const e of run.events) {
  if (e.type === 'trials.admitted' && detail)
    for (const x of e.body.edits) {
      content.set(x.id, `${x.op} ${'content' in x ? x.content : ''} ${'target' in x ? `<- ${x.target}` : ''}`)
      console.log(`r${e.body.step} ADMIT ${x.id} [${x.slot}] conc=${x.concerned} ${content.get(x.id)}`)
    }
  if (e.type === 'edit.decided' && detail)
    console.log(`   r${e.body.step} ${e.body.decision} ${e.body.edit} helps=${e.body.helps.toFixed(2)} eff=${e.body.effect?.mean.toFixed(2)} n=${e.body.trials} :: ${content.get(e.body.edit)} :: ${e.body.reason}`)
  if (e.type === 'gate.decided') console.log(`GATE r${e.body.step} ${e.body.what} ${e.body.action} ${JSON.stringify(e.body.verdict).slice(0, 200)}`)
  if (e.type === 'skill.version') {
    const s = run.versions[v++]
    if (s) console.log(`VERSION ${v - 1} calls=${s.calls} true=${world.trueScore(s.skill).toFixed(3)}`)
  }
}
console.log(world.trueScore(run.skill), 'possible', world.possible, run.targetCalls)
if (detail) console.log(run.versions.at(-1)?.skill)
