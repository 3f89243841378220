import type { GateFactory } from '../src/core/ports.js'
import { createGate as guarded } from '../src/gates/guarded.js'
import { createGate as paired } from '../src/gates/paired.js'
import { createGate as strict } from '../src/gates/strict.js'
import {
  CurrentSkill,
  chancesOf,
  type EditKind,
  edited,
  edits,
  type Noise,
  noises,
  play,
  type Random,
  randomFrom,
  settings,
} from './gate-world.js'
import { met, saveResult, table } from './table.js'

/**
 * Decisions with a known truth: `gate [DECISIONS]` (2,000 per cell if not given). What is accepted that changes
 * nothing, does harm, or helps; and how many attempts that takes, for the reference's rule, for that rule with a
 * margin which lets 5% of null edits through in each cell (nobody has it: the margin needs the truth), and for ours. A
 * cell in which neither that rule nor ours finds half of the gains is marked as underpowered.
 */

const decisions = Number(process.argv[2] ?? 2000)
const sizes = [10, 40, 200] as const
const [nullEdit] = edits
if (nullEdit === undefined || !(decisions > 0)) throw new Error('Give the number of decisions per cell.')

interface Outcome {
  readonly accepted: number
  readonly underpowered: number
  /** Of the candidate, per task of the split. */
  readonly spent: number
  /** Of the current skill beyond its evaluation, per task: paid once for all decisions with the same skill. */
  readonly extra: number
  /** Attempts under the candidate, of each decision that did not accept. */
  readonly rejected: readonly number[]
}

interface Cell {
  readonly tasks: number
  readonly noise: Noise
  readonly edit: EditKind
  readonly reference: number
  readonly calibrated: number
  readonly strict: Outcome
  readonly paired: Outcome
  readonly guarded: Outcome
}

const cells: Cell[] = []
for (const tasks of sizes) {
  for (const noise of Object.keys(noises) as Noise[]) {
    const random = randomFrom(tasks * 31 + noises[noise] * 1000)
    const margin = calibratedMargin(netGains(tasks, noise, nullEdit, random))
    for (const edit of edits) {
      const gains = netGains(tasks, noise, edit, random)
      cells.push({
        tasks,
        noise,
        edit,
        reference: share(gains, gain => gain > 0),
        calibrated: share(gains, gain => gain > margin),
        strict: decide(strict, tasks, noise, edit, random),
        paired: decide(paired, tasks, noise, edit, random),
        guarded: decide(guarded, tasks, noise, edit, random),
      })
    }
    process.stderr.write(`${tasks} tasks, noise ${noise}: done\n`)
  }
}

/** The reference's statistic: one attempt per task and skill, the difference of the sums. */
function netGains(tasks: number, noise: Noise, edit: EditKind, random: Random): number[] {
  return Array.from({ length: decisions }, () => {
    const before = chancesOf(tasks, noise, random)
    const after = edited(before, edit, random)
    return after.reduce(
      (sum, chance, index) => sum + (random() < chance ? 1 : 0) - (random() < (before[index] ?? 0) ? 1 : 0),
      0,
    )
  })
}

function calibratedMargin(gains: readonly number[]): number {
  let margin = 0
  while (share(gains, gain => gain > margin) > settings.falseAccepts) margin += 1
  return margin
}

function decide(create: GateFactory, tasks: number, noise: Noise, edit: EditKind, random: Random): Outcome {
  let accepted = 0
  let underpowered = 0
  let spent = 0
  let extra = 0
  const rejected: number[] = []
  for (let index = 0; index < decisions; index += 1) {
    const before = chancesOf(tasks, noise, random)
    const current = new CurrentSkill(before, random)
    const played = play(create, current, edited(before, edit, random), random)
    if (played.verdict.decision === 'accept') accepted += 1
    else rejected.push(played.candidate)
    if (played.verdict.decision === 'underpowered') underpowered += 1
    spent += played.candidate
    extra += played.current
  }
  const per = decisions * tasks
  return {
    accepted: accepted / decisions,
    underpowered: underpowered / decisions,
    spent: spent / per,
    extra: extra / per,
    rejected,
  }
}

// ── A run of decisions ──────────────────────────────────────────────────────

interface RunOutcome {
  readonly gate: string
  readonly harmful: number
  readonly none: number
  readonly helpful: number
  readonly gain: number
  readonly spent: number
}

const decisionsPerRun = 32
const runs = Math.max(20, Math.round(decisions / 10))

/** 32 decisions one after the other: half of the candidates change nothing, a quarter does harm, a quarter helps. */
function wholeRuns(name: string, create: GateFactory, tasks: number, noise: Noise): RunOutcome {
  const random = randomFrom(tasks * 7 + noises[noise] * 100 + 5)
  const counts = { harmful: 0, none: 0, helpful: 0 }
  let gain = 0
  let spent = 0
  for (let run = 0; run < runs; run += 1) {
    const start = chancesOf(tasks, noise, random)
    let current = new CurrentSkill(start, random)
    for (let index = 0; index < decisionsPerRun; index += 1) {
      const luck = random()
      const kind = luck < 0.5 ? 'none' : luck < 0.75 ? 'harmful' : 'helpful'
      const size = kind === 'none' ? 0 : kind === 'harmful' ? -0.05 : 0.05
      const after = edited(current.chances, { name: kind, gain: size }, random)
      const played = play(create, current, after, random)
      spent += played.candidate + played.current
      if (played.verdict.decision !== 'accept') continue
      counts[kind] += 1
      // An accepted candidate is run on what is left of the split: it is what the next one is compared with.
      if (!played.verdict.complete) spent += Math.max(0, tasks - played.candidate)
      current = new CurrentSkill(after, random)
      current.keep(played.seen)
    }
    gain += mean(current.chances) - mean(start)
  }
  return {
    gate: name,
    harmful: counts.harmful / runs,
    none: counts.none / runs,
    helpful: counts.helpful / runs,
    gain: gain / runs,
    spent: spent / (runs * decisionsPerRun * tasks),
  }
}

const wholes = sizes.flatMap(tasks =>
  (['light', 'medium', 'heavy'] as const).flatMap(noise =>
    (
      [
        ['strict', strict],
        ['paired', paired],
        ['guarded', guarded],
      ] as const
    ).map(([name, create]) => ({
      tasks,
      noise,
      ...wholeRuns(name, create, tasks, noise),
    })),
  ),
)

// ── What it comes to ────────────────────────────────────────────────────────

console.log(
  `\nAccepted, in % of ${decisions} decisions per cell; attempts under the candidate as a share of the split\n`,
)
console.log(
  table(
    [
      'tasks',
      'noise',
      'edit',
      'reference',
      'calibrated',
      'paired',
      'says underpowered',
      'guarded',
      'spent strict',
      'spent paired',
      'spent guarded',
      '',
    ],
    cells.map(({ tasks, noise, edit, reference, calibrated, strict, paired, guarded }) => [
      tasks,
      noise,
      edit.name,
      percent(reference),
      percent(calibrated),
      percent(paired.accepted),
      percent(paired.underpowered),
      percent(guarded.accepted),
      strict.spent.toFixed(2),
      paired.spent.toFixed(2),
      guarded.spent.toFixed(2),
      edit.gain > 0 && Math.max(calibrated, paired.accepted) < 0.5 ? 'underpowered' : '',
    ]),
  ),
)

console.log('\nPer split size and noise, over all kinds of edit alike\n')
const groups = sizes.flatMap(tasks =>
  (Object.keys(noises) as Noise[]).flatMap(noise => {
    const group = cells.filter(cell => cell.tasks === tasks && cell.noise === noise)
    return (['paired', 'guarded'] as const).map(gate => ({ gate, tasks, noise, ...groupOf(group, gate) }))
  }),
)

function groupOf(group: readonly Cell[], gate: 'paired' | 'guarded') {
  const useless = group.filter(({ edit }) => edit.gain <= 0)
  const behind = group.filter(({ edit }) => edit.gain > 0).map(cell => cell.calibrated - cell[gate].accepted)
  return {
    nullAccepted: group.find(({ edit }) => edit.gain === 0)?.[gate].accepted ?? 1,
    harmful: Math.max(...group.filter(({ edit }) => edit.gain < 0).map(cell => cell[gate].accepted)),
    loss: Math.max(...behind),
    spent: mean(group.map(cell => cell[gate].spent)),
    extra: mean(group.map(cell => cell[gate].extra)),
    rejected: median(useless.flatMap(cell => cell[gate].rejected)) / (group[0]?.tasks ?? 1),
  }
}

console.log(
  table(
    [
      'gate',
      'tasks',
      'noise',
      'null',
      'worst harmful',
      'power behind calibrated',
      'spent',
      'per rejected',
      'once per skill',
    ],
    groups.map(group => [
      group.gate,
      group.tasks,
      group.noise,
      percent(group.nullAccepted),
      percent(group.harmful),
      `${(100 * group.loss).toFixed(1)} points`,
      group.spent.toFixed(2),
      group.rejected.toFixed(2),
      group.extra.toFixed(2),
    ]),
  ),
)

console.log(
  `\nPer run of ${decisionsPerRun} decisions (half null, a quarter -5, a quarter +5), ${runs} runs each\n`,
)
console.log(
  table(
    [
      'tasks',
      'noise',
      'gate',
      'null accepted',
      'harmful accepted',
      'helpful accepted',
      'true gain',
      'attempts',
    ],
    wholes.map(({ tasks, noise, gate, none, harmful, helpful, gain, spent }) => [
      tasks,
      noise,
      gate,
      none.toFixed(2),
      harmful.toFixed(2),
      helpful.toFixed(2),
      `${(100 * gain).toFixed(1)} points`,
      spent.toFixed(2),
    ]),
  ),
)

/** Four standard errors of a share near 5%: what luck alone does to a figure of this many decisions. */
const slack = 2 * Math.sqrt((0.05 * 0.95) / decisions)
const ofGate = (gate: string) => groups.filter(group => group.gate === gate)
const large = (gate: string) => ofGate(gate).filter(({ tasks }) => tasks >= 40)
const claims = [
  ...(['paired', 'guarded'] as const).map(
    gate =>
      [
        `${gate}: harmful edits, at most 5% accepted in every cell`,
        ofGate(gate).every(group => group.harmful <= 0.05 + slack),
      ] as const,
  ),
  [
    'paired: null edits, at most 5% accepted in every cell',
    ofGate('paired').every(group => group.nullAccepted <= 0.05 + slack),
  ],
  [
    'paired, 40 tasks or more: power at most 2 points behind the calibrated rule',
    large('paired').every(group => group.loss <= 0.02 + slack),
  ],
  [
    'paired, 40 tasks or more: at most half of the attempts',
    large('paired').every(group => group.spent <= 0.5),
  ],
  ...(['paired', 'guarded'] as const).map(
    gate =>
      [
        `${gate}, 40 tasks or more: median per rejected candidate at most a quarter`,
        large(gate).every(group => group.rejected <= 0.25),
      ] as const,
  ),
] as const
console.log('')
for (const [claim, isMet] of claims) console.log(`${met(isMet)}  ${claim}`)

saveResult('gate', {
  decisions,
  cells: cells.map(cell => ({
    ...cell,
    strict: { ...cell.strict, rejected: median(cell.strict.rejected) },
    paired: { ...cell.paired, rejected: median(cell.paired.rejected) },
    guarded: { ...cell.guarded, rejected: median(cell.guarded.rejected) },
  })),
  groups,
  runs: wholes,
  claims: claims.map(([claim, isMet]) => ({ claim, met: isMet })),
})

function share<T>(items: readonly T[], test: (item: T) => boolean): number {
  return items.filter(test).length / Math.max(1, items.length)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[sorted.length >> 1] ?? 0
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)}%`
}
