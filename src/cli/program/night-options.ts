import { resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { isPath } from '../../project/modules.js'
import { configFlags, type TrainFlags } from '../commands/train/train.js'
import { collect, notNegative } from './arguments.js'
import { capOptions, fileOptions, sleepOptions } from './shared-options.js'

/** All settings of a night, shared by the commands that run and schedule one. */
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
 * Must come before the command's other options: this many options on an open generic type take the compiler
 * minutes.
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

/** Converts the flags to the config's dotted paths. */
export function nightSettings(flags: NightFlags): Record<string, unknown> {
  const given = {
    'sleep.sources': flags.source,
    'sleep.days': flags.days,
    'sleep.scope': flags.allProjects === true ? 'all' : undefined,
    'models.target': flags.target,
    'models.optimizer': flags.optimizer,
    'models.judge': flags.judge,
    'sleep.embedder': flags.embedder,
    'evaluation.gate': flags.gate === false ? 'always' : undefined,
    'reflect.preferences': flags.preferences,
  }
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return { ...configFlags(flags), ...set }
}

/** Converts the flags to command-line arguments for a night that starts in another folder. */
export function nightArguments(flags: NightFlags, cwd: string): string[] {
  const one = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [`--${name}`, String(value)]
  const each = (name: string, values: readonly string[] | undefined) =>
    (values ?? []).flatMap(value => [`--${name}`, value])
  return [
    ...one('config', flags.config === undefined ? undefined : resolve(cwd, flags.config)),
    ...each(
      'set',
      flags.set?.map(option => fromAnywhere(option, cwd)),
    ),
    ...each('cfg-options', flags.cfgOptions),
    ...(flags.trust === true ? ['--trust'] : []),
    ...each('source', flags.source),
    ...one('days', flags.days),
    ...(flags.allProjects === true ? ['--all-projects'] : []),
    ...one('target', flags.target),
    ...one('optimizer', flags.optimizer),
    ...one('judge', flags.judge),
    ...one('embedder', embedderFrom(flags, cwd)),
    ...(flags.gate === false ? ['--no-gate'] : []),
    ...one('preferences', flags.preferences),
    ...one('max-calls', flags.maxCalls),
    ...one('max-tokens', flags.maxTokens),
    ...one('max-cost', flags.maxCost),
    ...one('max-time', flags.maxTime),
  ]
}

/** Resolves values that are clearly paths; model names and URLs contain slashes too. */
function fromAnywhere(option: string, cwd: string): string {
  const at = option.indexOf('=') + 1
  const value = option.slice(at)
  return /^\.{1,2}[\\/]/.test(value) ? `${option.slice(0, at)}${resolve(cwd, value)}` : option
}

function embedderFrom({ embedder }: NightFlags, cwd: string): string | undefined {
  return embedder !== undefined && isPath(embedder) ? resolve(cwd, embedder) : embedder
}
