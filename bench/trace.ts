import { parseArgs } from 'node:util'
import { runInProcess } from './worlds/in-process.js'
import { worldSpec } from './worlds/spec.js'
import { createWorld } from './worlds/world.js'
import { meaningsIn } from './worlds/vocabulary.js'

const { values } = parseArgs({ options: { world: { type: 'string' }, seed: { type: 'string' } } })
const world = createWorld(worldSpec(values.world ?? 'dev-habits'), Number(values.seed ?? 101))
const t0 = performance.now()
const run = await runInProcess(world, { seed: world.seed })
const effects = new Map(world.habits.map(h => [h.word, h.effect]))
const wordOf = (e: any) => { const [m] = meaningsIn(e.content ?? '') as any; return m?.word }
const edits = new Map<string, any>()
const status = new Map<string, string>()
let sum = 0, n = 0
for (const e of run.events as any[]) {
  if (e.type === 'trials.admitted') for (const x of e.body.edits) { edits.set(x.id, { ...x, step: e.body.step }); status.set(x.id, 'pending') }
  if (e.type === 'edit.decided') { status.set(e.body.edit, e.body.decision === 'taken-back' ? 'pending' : e.body.decision)
    if (e.body.decision !== 'undecided') { const w = wordOf(edits.get(e.body.edit)); console.log('   ', e.body.step, e.body.decision, w, effects.get(w), 'est', e.body.effect?.mean.toFixed(3), 'n', e.body.trials, 'p', e.body.helps.toFixed(2)) } }
  if (e.type === 'step.finished') {
    const by = (s: string) => { const ws = new Set([...edits].filter(([id]) => status.get(id) === s).map(([, x]) => wordOf(x))); const v = [...ws].map(w => Math.sign(effects.get(w) ?? 0)); return `${[...status.values()].filter(x => x === s).length}(${v.filter(x => x > 0).length}+ ${v.filter(x => x === 0).length}0 ${v.filter(x => x < 0).length}-)` }
    console.log('round', e.body.step, 'pending', by('pending'), 'accepted', by('accepted'), 'dropped', by('dropped'))
  }
  if (e.type === 'gate.decided') console.log('  gate', e.body.what, e.body.action, JSON.stringify(e.body).slice(0, 300))
}
console.log('start', world.trueScore(world.seedSkill), 'end', world.trueScore(run.skill), 'versions', run.versions.map(v => `${v.calls}:${world.trueScore(v.skill).toFixed(2)}`).join(' '))
console.log('tokens', run.tokens, 'opt', run.optimizerCalls, 'target', run.targetCalls, 'ms', performance.now() - t0)
