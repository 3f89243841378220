import { markdownTable } from '../measured-page.js'
import { packages } from './environment.js'
import type { FailedRun } from './run.js'
import type { PeerTable, WorldRow } from './tables.js'

interface PeersPage {
  readonly seeds: number
  readonly latency: { readonly target: number; readonly optimizer: number }
  readonly concurrency: number
  readonly budget: number
  readonly overall: PeerTable
  readonly worlds: readonly WorldRow[]
  /** Packages that could not be installed. */
  readonly problems: readonly string[]
  readonly failures: readonly FailedRun[]
}

const shown = ['trainer', 'runs', 'true score (worst, best)', 'target calls', 'tokens', 'at 500', 'at 1,000']

/** The section `peers` of docs/measured.md. */
export function peersSection(result: PeersPage): string {
  const { latency, concurrency, budget, seeds, overall, worlds } = result
  const columns = shown.map(name => overall.head.indexOf(name))
  const rows = overall.rows.map(row => columns.map(column => row[column] ?? ''))
  return `
${markdownTable(shown, rows)}

"At 500" is the score of the skill that would have shipped after 500 target calls. By world, \`default\` beside the peer
with the highest mean there; "possible" is the best that any edits could reach:

${markdownTable(
  ['world', 'default', 'best peer', 'possible', 'calls ratio', 'tokens ratio'],
  worlds.map(({ world, own, peer, possible, calls, tokens }) => [world, own, peer, possible, calls, tokens]),
)}

\`npm run bench:peers -- --seeds ${seeds} --write\`: ${worlds.length} simulated worlds, ${seeds} seeds each. Everybody gets the same tasks, seed skill
and simulated models over HTTP (median latency ${latency.target} ms target, ${latency.optimizer} ms optimizer, ${concurrency} calls at a time). SkillOpt
${packages.skillopt} and GEPA ${packages.gepa} from PyPI run with their defaults; GEPA stops at ${budget} metric calls. Scores are exact expected
scores on test tasks that no trainer saw. Calls are those of training.
${notes(result)}`
}

function notes({ problems, failures }: PeersPage): string {
  const lines = [
    ...problems.map(problem => `- Left out: ${problem}.`),
    ...failures.map(({ world, trainer, seed, failed }) => `- ${world}, seed ${seed}, ${trainer}: ${failed}.`),
  ]
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n`
}
