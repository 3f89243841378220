import { join } from 'node:path'
import { loadAgent } from '../../agents/registry/harnesses.js'
import { locateProgram } from '../../agents/shared/harness/process.js'
import { type Config, resolveModel } from '../../core/config/config.js'
import { lastingSettings } from '../../core/config/difference.js'
import { InputError } from '../../core/errors/errors.js'
import { canonicalJson, contentHash } from '../../core/text/hash.js'
import { readLive } from '../adopt/index.js'
import { loadEmbedder } from '../mining/load-embedder.js'
import { chooseTonight, type Tonight } from '../mining/tonight.js'
import { type NightOutcome, type NightPlan, nightFormat, type PlannedTarget } from '../model/night-record.js'
import { type SleepTask, scoredBy } from '../model/sleep-task.js'
import type { Night } from '../nights/nights.js'
import type { SleepProject, Surroundings } from '../settings/places.js'
import { noModel, type SleepSettings } from '../settings/settings.js'
import { pinCommits } from './commits.js'
import { withNightModels } from './target-setup.js'
import { type FoundTargets, findTargets, type TargetDocument } from './targets.js'

/** Input of a night: harvested tasks, or tasks from a person's file. */
export interface NightTasks {
  readonly tasks: readonly SleepTask[]
  readonly sessions: number
  /** Number of recurring requests in the sessions. */
  readonly recurring: number
  /** Run directory of the mining run, if a model was called. */
  readonly mining: string | undefined
  /** Explains why the recurring requests were too few to learn from. */
  readonly tooFew?: string | undefined
}

export type Planned =
  | { readonly plan: NightPlan; readonly notices: readonly string[] }
  | { readonly outcome: 'nothing-to-learn' | 'nothing-new'; readonly reason: string }

export interface PlanOptions extends Surroundings {
  readonly project: SleepProject
  readonly settings: SleepSettings
  /** The night's folder. */
  readonly folder: string
  readonly earlier: readonly Night[]
  /** Folders in which targets may be, with links resolved. */
  readonly roots: readonly string[]
}

/**
 * Plans the night without calling a model or writing a file. Throws if a target could not be changed at the
 * end.
 */
export async function planNight(given: NightTasks, options: PlanOptions): Promise<Planned> {
  const { settings, project, earlier } = options
  const { sleep, loaded, packages } = settings
  const embedder =
    sleep.embedder === undefined
      ? undefined
      : await loadEmbedder(sleep.embedder, { baseDir: loaded.baseDir, packages })
  const { nightTasks, recall } = sleep
  const tonight = await chooseTonight(given.tasks, {
    nightTasks,
    recall,
    seed: loaded.config.train.seed,
    embedder,
  })
  const lacking = nothingToLearn(given, tonight)
  if (lacking !== undefined) return { outcome: 'nothing-to-learn', reason: lacking }
  const tasks = [...tonight.train, ...tonight.recalled, ...tonight.val, ...tonight.test]
  const found = await findTargets(tasks, options)
  const { targets, skipped } = divide(tasks, found)
  if (targets.length === 0)
    return { outcome: 'nothing-to-learn', reason: skipped[0]?.reason ?? 'There is nothing to teach it to.' }
  const models = await chooseModels(tasks, options)
  const fingerprint = await fingerprintOf(tasks, targets, models, options)
  const same = nothingNew(earlier, fingerprint, loaded.config.limits)
  if (same !== undefined) return { outcome: 'nothing-new', reason: same }
  // Commits matter only to agents, because a plain model gets no files.
  const works = sleep.copies && (await loadAgent(models.target.split('/')[0] ?? '')) !== undefined
  const { commits, reason } = works
    ? await pinCommits(tasks, project.root)
    : { commits: new Map<string, string>(), reason: undefined }
  return {
    plan: {
      format: nightFormat,
      tasks,
      commits: Object.fromEntries(commits),
      targets,
      skipped,
      models,
      roots: [...options.roots],
      memory: await projectNotes(options.project.root, options.roots),
      sessions: given.sessions,
      ...(given.mining === undefined ? {} : { mining: given.mining }),
      fingerprint,
    },
    notices: [
      ...skipped.map(({ name, reason: why }) => `${name} is not taught: ${why}.`),
      ...(reason === undefined ? [] : [reason]),
    ],
  }
}

function nothingToLearn(
  { tasks, sessions, recurring, tooFew }: NightTasks,
  tonight: Tonight,
): string | undefined {
  if (tooFew !== undefined) return tooFew
  if (sessions === 0 && tasks.length === 0)
    return 'No sessions were found, so there is nothing to learn from.'
  if (tasks.length === 0 && recurring === 0) return 'Nothing recurs in the sessions so far.'
  if (tasks.length === 0)
    return 'Something recurs, but no task came of it: `skillopt sleep harvest` says why.'
  const { train, val, unscored } = tonight
  if (train.length > 0 && val.length > 0) return undefined
  const without =
    unscored.length === 0 ? '' : ` ${unscored.length} more cannot be scored: give them a rubric.`
  if (train.length === 0) return `No task is there to learn from.${without}`
  return `No task is there to judge by: what is learned could not be told from chance.${without}`
}

/** Assigns tasks to targets. Tasks of a skill that cannot be trained go to the skill managed by Sleep. */
function divide(
  tasks: readonly SleepTask[],
  { managed, memory, skills, skipped }: FoundTargets,
): { targets: PlannedTarget[]; skipped: NightPlan['skipped'] } {
  const ownerOf = ({ skill }: SleepTask) => (skill !== undefined && skills.has(skill) ? skill : undefined)
  const groups: [TargetDocument, readonly SleepTask[]][] = [
    [managed, tasks.filter(task => ownerOf(task) === undefined)],
    ...[...skills].map(([name, document]): [TargetDocument, readonly SleepTask[]] => [
      document,
      tasks.filter(task => ownerOf(task) === name),
    ]),
    ...memory.map((document): [TargetDocument, readonly SleepTask[]] => [document, tasks]),
  ]
  const reasons = groups.map(([document, own]) => ({ document, own, reason: cannotLearn(own) }))
  return {
    targets: reasons.flatMap(({ document, own, reason }) =>
      reason === undefined ? [{ ...document, tasks: own.map(({ id }) => id) }] : [],
    ),
    skipped: [
      ...skipped,
      ...reasons.flatMap(({ document, reason }) =>
        reason === undefined ? [] : [{ name: document.name, reason }],
      ),
    ],
  }
}

function cannotLearn(tasks: readonly SleepTask[]): string | undefined {
  if (!tasks.some(({ split }) => split === 'train')) return 'it has no task to learn from'
  return tasks.some(({ split }) => split === 'val') ? undefined : 'it has no task to judge by'
}

/**
 * Chooses target, optimizer and judge. If the settings name none, the agent that did the original work is
 * used.
 */
async function chooseModels(
  tasks: readonly SleepTask[],
  { settings, env }: PlanOptions,
): Promise<Record<string, string> & { readonly target: string }> {
  const { models } = settings.loaded.config
  const named = (role: 'target' | 'optimizer' | 'judge') => {
    const reference = models[role]
    return reference === undefined || reference === noModel ? undefined : resolveModel(reference, role).model
  }
  const target = named('target') ?? (await usualTarget(tasks, id => isInstalled(id, env)))
  if (target === undefined) {
    throw new InputError('Nobody is named who could try the tasks.', {
      hint: 'Name a model or an agent: --target openai/gpt-5-mini or --target claude-code/default, or `models.target` in the settings.',
    })
  }
  const optimizer = named('optimizer') ?? target
  const judge = named('judge') ?? (tasks.some(task => scoredBy(task) === 'rubric') ? optimizer : undefined)
  return { target, optimizer, ...(judge === undefined ? {} : { judge }) }
}

async function isInstalled(id: string, env: Surroundings['env']): Promise<boolean> {
  const agent = await loadAgent(id)
  if (agent === undefined) return false
  try {
    await locateProgram(agent, env)
    return true
  } catch (error) {
    if (error instanceof InputError) return false
    throw error
  }
}

/**
 * Hash of everything that determines a night's result. Another night with the same fingerprint would pay
 * again for nothing new.
 */
async function fingerprintOf(
  tasks: readonly SleepTask[],
  targets: readonly PlannedTarget[],
  models: Readonly<Record<string, string>>,
  { settings, folder }: PlanOptions,
): Promise<string> {
  const { config } = withNightModels(settings.loaded, models, folder)
  const asked = tasks.map(({ id, intent, rubric, checks, tools, split, examples }) => ({
    id,
    intent,
    rubric,
    checks,
    tools: tools ?? [],
    split,
    examples: examples.map(({ request }) => request),
  }))
  const documents = targets.map(({ name, path, live, tasks: own }) => ({ name, path, live, own }))
  const { models: _, ...lasting } = groupedSettings(config)
  return contentHash(canonicalJson([asked, documents, models, lasting]))
}

/** Leaves the models' own options out of the fingerprint, because they contain the night's folder. */
function groupedSettings(config: unknown): Record<string, unknown> {
  const settings = Object.entries(lastingSettings(config)).filter(([path]) => !path.startsWith('models.'))
  return Object.fromEntries(settings)
}

const notes = ['CLAUDE.md', 'AGENTS.md'] as const

/**
 * Reads the notes that every agent reads in this project. Notes that cannot be read safely are not shown to a
 * model.
 */
async function projectNotes(root: string, roots: readonly string[]): Promise<NightPlan['memory']> {
  const found: NightPlan['memory'] = []
  const seen = new Set<string>()
  for (const name of notes) {
    try {
      const { content, realPath } = await readLive(join(root, name), roots)
      // CLAUDE.md and AGENTS.md are often links to each other, or copies.
      if (content === undefined || seen.has(realPath) || seen.has(content.text)) continue
      seen.add(realPath).add(content.text)
      found.push({ name: `memory:${name}`, text: content.text })
    } catch (error) {
      if (!(error instanceof InputError)) throw error
    }
  }
  return found
}

/**
 * Returns the agent that handled most requests, as a target model; undefined if that agent cannot be started
 * here. Session names start with the agent that recorded them, as in `codex:…`.
 */
export async function usualTarget(
  tasks: readonly Pick<SleepTask, 'examples'>[],
  isAvailable: (agent: string) => Promise<boolean>,
): Promise<string | undefined> {
  const asked = new Map<string, number>()
  for (const { session } of tasks.flatMap(({ examples }) => examples)) {
    const [agent = ''] = session.split(':')
    asked.set(agent, (asked.get(agent) ?? 0) + 1)
  }
  const [most] = [...asked].toSorted(
    ([one, ofOne], [other, ofOther]) => ofOther - ofOne || (one < other ? -1 : 1),
  )
  return most !== undefined && (await isAvailable(most[0])) ? `${most[0]}/default` : undefined
}

type Limits = Config['limits']

/**
 * Explains in a sentence why another night would find nothing new; undefined if it might. `limits` are
 * tonight's.
 */
export function nothingNew(
  earlier: readonly Night[],
  fingerprint: string,
  limits: Limits,
): string | undefined {
  const last = earlier.findLast(({ plan, outcome }) => plan !== undefined && outcome !== undefined)
  if (last?.outcome === undefined || last.plan?.fingerprint !== fingerprint) return undefined
  const { outcome, proposal, number } = last
  const since = `Tasks, documents and models are those of night ${number}`
  if (outcome.capped !== undefined) {
    // Mining was paid for last time, so that part of the cap is available for training now.
    if (last.plan.mining !== undefined || isRaised(outcome.capped, limits)) return undefined
    return `${since}, which its cap ended: with the same cap another one would come no further.`
  }
  switch (outcome.outcome) {
    case 'proposed':
      return proposal === undefined ? undefined : `${since}, whose proposal waits: \`skillopt sleep review\`.`
    case 'nothing-learned':
      return `${since}, which found nothing better: another one would ask the same again.`
    default:
      // The last night did not finish, or its result could not be proposed, so another night may help.
      return undefined
  }
}

function isRaised({ cap, limit }: NonNullable<NightOutcome['capped']>, limits: Limits): boolean {
  const now = limits[cap]
  return now === undefined || now > limit
}
