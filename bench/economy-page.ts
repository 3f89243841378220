import type { Shown } from './economy-tables.js'
import type { World } from './worlds.js'

export interface PageSource {
  readonly seeds: number
  readonly freshTasks: number
  readonly latency: { readonly medianMilliseconds: number; readonly sigma: number }
  readonly worlds: readonly World[]
  readonly spending: Shown
  readonly ratios: Shown
  readonly protocol: Shown
  readonly forecasts: Shown
}

/** docs/economy.md. */
export function economyPage(source: PageSource): string {
  const { seeds, freshTasks, latency, worlds, spending, ratios, protocol, forecasts } = source
  const sizes = worlds.map(({ name, sizes, character, about }) => [
    ...[name, `${sizes.train} / ${sizes.val} / ${sizes.test}`],
    ...[character.slips, character.wrongRules, character.vagueAdvice, character.harm].map(percent),
    about,
  ])
  const worldHead = [
    ...['world', 'train / validation / test', 'slips', 'wrong rules', 'vague advice', 'harmful edits'],
    'in words',
  ]
  return `# What a training costs: \`default\` against \`paper\`

The preset \`paper\` does what was published: every candidate on the whole validation split. The preset \`default\` is what
you get if you say nothing. Here both train the same skills on the same tasks, from
\`npm run bench:economy -- ${seeds} --write\`: ${seeds} seeds in each of ${worlds.length} simulated worlds, whole runs by the command line, the
models behind HTTP in another process, 8 calls at a time for each, with a latency of ${latency.medianMilliseconds} ms in the median (lognormal,
sigma ${latency.sigma}). A seed has its own tasks, batches and samples, the same for both presets.

![True score of the skill over the target's calls, for both presets in each world](images/economy.svg)

${markdown(worldHead, sizes)}

## Default against paper

${markdown(ratios.head, ratios.rows)}

- *score* is the difference of the best skill's true score, in points, paired by seed. The true score is measured after
  the run on ${freshTasks.toLocaleString('en-US')} tasks that no split contains. *No lower* is about the mean; where the interval includes zero,
  so many seeds cannot tell the two apart.
- The other columns are ratios: what all runs of \`default\` took, over what all runs of \`paper\` took. *Target calls*, *tokens* (of
  target and optimizer) and *time* are those of training. Tests come on top, and are the same for both; the last two
  columns have them in.
- *Time* runs from the beginning to the last call or decision of training. A lane that training does not need does tests
  meanwhile, in both presets alike.

## What a run took

In the mean over the seeds:

${markdown(spending.head, spending.rows)}

## Paper is no strawman

A comparison is worth as much as what it compares with. So the calls of \`paper\` are counted in its log and held against
what the protocol asks for, and its time against the shortest schedule that its calls allow, found afterwards from what
each of them needed to know:

${markdown(protocol.head, protocol.rows)}

- Calls are sums over the runs. *Skills* are the different texts that were validated: the seed skill and the candidates.
- *Same skill: once*: at the end of an epoch the skill of an epoch ago is compared with the current one. Where no edit was
  accepted in between, they are the same text, and one attempt stands for both sides. That saves \`paper\` calls.
- The bound knows every verdict beforehand, and may begin the next step while the gate is still at work. No run can.

## The forecast

\`train --dry-run\` before each run, its most likely figures against what the run then took:

${markdown(forecasts.head, forecasts.rows)}

- *First run*: the project has no runs yet, so the length of replies is a guess.
- *First run, after a probe*: \`--dry-run --probe\` made a few calls before, which are not in the figures.
- *Later run*: the forecast knows the run of the seed before, which had other tasks of the same world.
- The cost is that of made-up prices; what counts is how near the forecast came.

## What this proves, and what not

- The simulated target follows rules and slips at random; the simulated optimizer proposes rules, some of them wrong,
  vague or harmful. How much of a training is spent on the gate is real, since it follows from the protocol. How fast a
  skill gets better, and so how early a training can stop, is this world's and not that of your models.
- The worlds differ in size, noise and difficulty, and \`default\` was chosen by what it does in worlds like them. Others may
  rank otherwise.
- All calls have the same latency here, whatever their length. With real models an optimizer's call is the longer one,
  so saved target calls save less of the time, and tokens of the optimizer weigh more in the cost.
- ${seeds} seeds find large differences of the score and no small ones: look at the interval.
`
}

const percent = (share: number): string => `${Math.round(100 * share)}%`

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')
}
