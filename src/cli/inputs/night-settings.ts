import { resolve } from 'node:path'
import { isPath } from '../../project/modules.js'
import { configFlags } from '../commands/train/train.js'
import type { NightFlags } from '../program/night-options.js'

/** Converts the flags of a night to the config's dotted paths. */
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

/** Converts the flags of a night to arguments for a command that starts in another folder. */
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

/** Makes clear paths in an option absolute. Other values with slashes are model names and URLs. */
function fromAnywhere(option: string, cwd: string): string {
  const at = option.indexOf('=') + 1
  const value = option.slice(at)
  return /^\.{1,2}[\\/]/.test(value) ? `${option.slice(0, at)}${resolve(cwd, value)}` : option
}

function embedderFrom({ embedder }: NightFlags, cwd: string): string | undefined {
  return embedder !== undefined && isPath(embedder) ? resolve(cwd, embedder) : embedder
}
