import { join, relative } from 'node:path'
import { loadAgent } from '../../agents/registry/harnesses.js'
import { type Config, type ModelConfig, modelSchema, resolveModel } from '../../core/config/config.js'
import { createRedactor, type OwnPattern } from '../../core/redaction/redact.js'
import type { SkillFrame } from '../../core/skill/skill-frame.js'
import { assemble } from '../../project/assemble.js'
import type { LoadedProject } from '../../project/load.js'
import type { MakeModel } from '../../project/models.js'
import { isThere } from '../../system/private-file.js'
import type { Setup } from '../../trainer/loops/setup.js'
import type { CarriedMemory } from '../../trainer/stages/memory.js'
import { outsideRegion, writeRegion } from '../model/managed-region.js'
import type { NightPlan, PlannedTarget } from '../model/night-record.js'
import { tidyRegion } from '../model/proposal.js'
import { regionObjection } from '../model/region-objection.js'
import type { SleepTask } from '../model/sleep-task.js'
import { createReplay, type ReplayOptions } from '../replay/replay.js'
import { noModel, type SleepSettings } from '../settings/settings.js'

export interface NightSetupOptions {
  /** The night's folder. */
  readonly folder: string
  /** The project's folder, with links resolved. */
  readonly project: string
  /** Regions already learned tonight, keyed by target. The next target is trained together with them. */
  readonly learned?: ReadonlyMap<string, string>
  /** Variants of tasks that were created for tonight. */
  readonly dreams?: readonly SleepTask[]
  readonly carried?: CarriedMemory | undefined
  readonly createModel?: MakeModel
}

/**
 * Creates an ordinary training setup whose tasks are those of the night and whose skill is the region of one
 * document.
 */
export async function setupForTarget(
  plan: NightPlan,
  target: PlannedTarget,
  { loaded, sleep }: SleepSettings,
  options: NightSetupOptions,
): Promise<Setup> {
  const { learned = new Map(), dreams = [], carried, createModel } = options
  const night = withNightModels(loaded, plan.models, options.folder)
  const own = new Set(target.tasks)
  const tasks = [
    ...plan.tasks.filter(({ id }) => own.has(id)),
    ...dreams.filter(({ derivedFrom }) => derivedFrom !== undefined && own.has(derivedFrom)),
  ]
  const isAgent = (await agentOf(night.config)) !== undefined
  const replay = await replayOptions(plan, target, night.config, sleep.copies, options)
  const environment = { id: 'sleep-tasks', create: () => createReplay(tasks, replay) }
  const hide = hiding(sleep.redact)
  const context = isAgent ? [] : contextOf(plan, target, learned)
  const frame = frameOf({ frame: shownFrame(target.frame, hide) }, context.map(hide))
  return assemble(withFittingTest(night, tasks), {
    environment,
    skill: target.region,
    frame,
    carried,
    ...(createModel === undefined ? {} : { createModel }),
  })
}

type NightRole = 'target' | 'optimizer' | 'judge'

const namedModel = (reference: string | ModelConfig | undefined) =>
  reference === noModel ? undefined : reference

/** For a role without a configured model, the roles whose model is used instead, in order of preference. */
const insteadOf: Readonly<Record<NightRole, readonly NightRole[]>> = {
  target: [],
  optimizer: ['target'],
  judge: ['optimizer', 'target'],
}

/** Reuses the configuration (endpoint, key) of a fallback role if that role already uses the chosen model. */
function takenOver(
  role: NightRole,
  models: Config['models'],
  chosen: string | undefined,
): string | ModelConfig | undefined {
  const others = insteadOf[role].flatMap(other => namedModel(models[other]) ?? [])
  return others.find(other => (typeof other === 'string' ? other : other.model) === chosen) ?? chosen
}

/** Fills unconfigured roles from the plan, and gives handoff models a folder in the night's folder. */
export function withNightModels(
  loaded: LoadedProject,
  chosen: Readonly<Record<string, string>>,
  folder: string,
): LoadedProject {
  const { models } = loaded.config
  const reference = (role: NightRole) => {
    const known = namedModel(models[role]) ?? takenOver(role, models, chosen[role])
    return known === undefined ? undefined : withHandoffFolder(known, join(folder, 'handoff'))
  }
  const judge = reference('judge')
  return {
    ...loaded,
    config: {
      ...loaded.config,
      models: {
        target: reference('target') ?? models.target,
        optimizer: reference('optimizer') ?? models.optimizer,
        ...(judge === undefined ? {} : { judge }),
      },
    },
  }
}

function withHandoffFolder(reference: string | ModelConfig, folder: string): string | ModelConfig {
  const full = typeof reference === 'string' ? modelSchema.parse({ model: reference }) : reference
  if (!full.model.startsWith('handoff/') || full.endpoint !== undefined) return reference
  return { ...full, endpoint: folder }
}

/** Path of the snapshot of a project without git. Changes made meanwhile only affect the next night. */
export const keptProject = (folder: string): string => join(folder, 'project')

/** True if the target is an agent that works on the project's files. */
export async function worksOnFiles(config: Config): Promise<boolean> {
  return (await agentOf(config))?.supports.includes('workspace') ?? false
}

async function agentOf({ models }: Config) {
  const { model } = resolveModel(models.target, 'target')
  return loadAgent(model.split('/')[0] ?? '')
}

/** Builds the replay options. Only an agent gets the files, because a plain model cannot use them. */
async function replayOptions(
  plan: NightPlan,
  target: PlannedTarget,
  config: Config,
  copies: boolean,
  { project, folder }: Pick<NightSetupOptions, 'project' | 'folder'>,
): Promise<ReplayOptions> {
  if (!copies || !(await worksOnFiles(config))) return { files: 'none' }
  const commits = new Map(Object.entries(plan.commits))
  const kept = keptProject(folder)
  // The copy must not contain the trained document, because its older text could contradict the new one.
  const own = relative(project, target.path)
  const without = own.startsWith('..') ? [] : [own]
  const from = (await isThere(kept)) ? { project: kept, knownAs: project } : { project }
  return { files: 'copies', ...from, commits, without }
}

/**
 * Enables the final test of the learned text against the original. Without test tasks there is no test, and
 * the report says so.
 */
function withFittingTest(loaded: LoadedProject, tasks: readonly SleepTask[]): LoadedProject {
  const { config } = loaded
  const { evaluation } = config
  const result = evaluation.gate === 'always' ? ('last' as const) : ('best' as const)
  const test = tasks.some(({ split }) => split === 'test') ? (['initial', result] as const) : []
  return { ...loaded, config: { ...config, evaluation: { ...evaluation, test: [...test] } } }
}

// ── Document that contains the trained region ──────────────────────────────

/** Returns the document with this region. The text passed the objection check before it was accepted. */
export function documentWith(frame: string, region: string): string {
  const written = writeRegion(frame, tidyRegion(region))
  if (written.state === 'written') return written.document
  throw new Error(`A region was accepted that cannot be written: ${written.problem}`)
}

function hiding(patterns: readonly OwnPattern[]): (text: string) => string {
  const redactor = createRedactor({ patterns })
  return text => redactor.redact(text).text
}

/** Redacts a document before a model sees it, like sessions. The proposal contains the original text. */
function shownFrame(frame: string, hide: (text: string) => string): string {
  const hidden = hide(frame)
  // A redaction can remove a marker, for example when a private key has no end. Then only the text outside
  // the region is shown.
  return writeRegion(hidden, '-').state === 'written' ? hidden : hide(outsideRegion(frame))
}

export function frameOf(target: Pick<PlannedTarget, 'frame'>, context: readonly string[]): SkillFrame {
  const outside = outsideRegion(target.frame).trim()
  return {
    fill: part => [...context, documentWith(target.frame, part)].join('\n\n'),
    around: [
      'The skill is one part of what the agent reads. The rest is the person’s own and cannot be changed; a rule that it states already need not be stated again:',
      ...context,
      ...(outside === '' ? [] : [outside]),
    ].join('\n\n'),
    limit: {
      note: () => '',
      objection: (before, after) => regionObjection(before, after) ?? placeObjection(target.frame, after),
    },
  }
}

/** Objects to text that is valid in general but breaks this document. */
function placeObjection(frame: string, region: string): string | undefined {
  const written = writeRegion(frame, tidyRegion(region))
  return written.state === 'broken'
    ? `It could not be told from what stands around it: ${written.problem}.`
    : undefined
}

/** Builds the context for a plain model, since only an agent can read the project's files. */
function contextOf(
  plan: NightPlan,
  target: PlannedTarget,
  learned: ReadonlyMap<string, string>,
): readonly string[] {
  const memory = plan.memory
    .filter(({ name }) => name !== target.name)
    .map(({ name, text }) => {
      const planned = plan.targets.find(other => other.name === name)
      const region = learned.get(name)
      return planned === undefined || region === undefined ? text : documentWith(planned.frame, region)
    })
  // The skill managed by Sleep applies to the whole project, like the project's notes.
  const [managed] = plan.targets
  const isMemory = target.name.startsWith('memory:')
  const skill =
    isMemory && managed !== undefined && managed.name !== target.name
      ? [documentWith(managed.frame, learned.get(managed.name) ?? managed.region)]
      : []
  return [...memory, ...skill].filter(text => text.trim() !== '')
}
