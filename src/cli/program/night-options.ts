import type { Command } from '@commander-js/extra-typings'
import type { TrainFlags } from '../commands/train/train.js'
import { collect, notNegative } from './arguments.js'
import { capOptions, fileOptions, sleepOptions } from './shared-options.js'

/** Settings of a night, shared by the commands that run nights and schedule them. */
export interface NightFlags
  extends Pick<
    TrainFlags,
    'config' | 'cfgOptions' | 'set' | 'trust' | 'maxCalls' | 'maxTokens' | 'maxCost' | 'maxTime'
  > {
  readonly project?: string | undefined
  readonly source?: readonly string[] | undefined
  readonly days?: number | undefined
  readonly allProjects?: true | undefined
  readonly target?: string | undefined
  readonly optimizer?: string | undefined
  readonly judge?: string | undefined
  readonly embedder?: string | undefined
  /** False for `--no-gate`. */
  readonly gate?: boolean | undefined
  readonly preferences?: string | undefined
}

/**
 * Adds the options of a night. They must come before a command's other options: adding this many to an open
 * generic type takes the compiler minutes.
 */
export function addNightOptions(command: Command) {
  return capOptions(fileOptions(sleepOptions(command)))
    .option('--source <agent>', 'read this agent only; may be repeated (default: all)', collect)
    .option('--days <n>', 'sessions of the last n days; 0 = all (default: 90)', notNegative)
    .option('--all-projects', 'sessions of all projects, not only of this one')
    .option(
      '--target <provider/model>',
      'the model or agent that does the tasks (default: the agent of most sessions)',
    )
    .option('--optimizer <provider/model>', 'the model that proposes edits (default: the target)')
    .option('--judge <provider/model>', 'the model that judges by rubrics (default: the optimizer)')
    .option('--embedder <name|file>', 'compare requests by meaning too (default: by words)')
    .option('--no-gate', 'skip the gate: propose edits without checking them on other tasks')
    .option('--preferences <text>', 'what you want from the skill, in your own words')
}
