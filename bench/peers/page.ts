import { packages } from './environment.js'
import type { FailedRun } from './run.js'
import { markdownTable, type PeerTable } from './tables.js'

interface PeersPage {
  readonly seeds: number
  readonly latency: { readonly target: number; readonly optimizer: number }
  readonly concurrency: number
  readonly budget: number
  readonly overall: PeerTable
  readonly byWorld: readonly PeerTable[]
  /** Packages that could not be installed. */
  readonly problems: readonly string[]
  readonly failures: readonly FailedRun[]
}

/** docs/peers.md */
export function peersPage(result: PeersPage): string {
  const { latency, concurrency, budget, seeds } = result
  const worlds = result.byWorld.map(one => `### ${one.title}\n\n${markdownTable(one)}`)
  return `# Other trainers on the same tasks

![True score over target calls](images/score-over-calls.svg)

${markdownTable(result.overall)}

\`npm run bench:peers -- --seeds ${seeds} --write\` measured this: ${result.byWorld.length} simulated worlds with ${seeds} seeds each.

## How it is measured

- **The same for everybody**: train and validation tasks, seed skill, the simulated target and optimizer behind an
  OpenAI-compatible server on this machine, a median latency of ${latency.target} ms for the target and ${latency.optimizer} ms for the optimizer,
  ${concurrency} calls at a time. Each run is a process of its own with a server of its own.
- **Trainers**: SkillOpt ${packages.skillopt} and GEPA ${packages.gepa} from PyPI, with their own defaults. GEPA stops by a budget: ${budget} metric calls.
- **Score**: the exact expected score of the skill that ships, on test tasks that no trainer sees, in points. "At 250" is
  the score of the skill that would have shipped after 250 target calls. Runs that ended before count with what they shipped.
- **Calls** are those of training; no trainer was asked for a final test.
- Ratios are to the peer with the highest mean score. Seconds depend on what else the machine does; calls and tokens do not.
- The worlds are simulated. They tell how trainers use evidence, not what your model and tasks will gain.
${notes(result)}
## World by world

${worlds.join('\n\n')}
`
}

function notes({ problems, failures }: PeersPage): string {
  const lines = [
    ...problems.map(problem => `- Left out: ${problem}.`),
    ...failures.map(({ world, trainer, seed, failed }) => `- ${world}, seed ${seed}, ${trainer}: ${failed}.`),
  ]
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}
