import type { EventBody, RunEvent } from '../../core/log/event.js'
import type { RunStore } from '../../core/ports/store.js'
import type { Row } from '../../core/task/task.js'
import { createView, foldEvent } from '../../core/view/fold.js'
import { DerivedFiles, type LineFile } from './file-names.js'
import {
  editRecord,
  evaluationRecord,
  rolloutRecord,
  runtimeRecord,
  stepRecord,
  summaryRecord,
} from './records.js'

/**
 * Writes the files that the Python package writes, too. All are derived from the event log, which is the only
 * source of truth, and none is ever read back. Called at every stop; repeating it changes nothing. The log is
 * streamed, so that a run of 100,000 attempts needs no more memory than a small one.
 */
export async function writeRunFiles(
  directory: string,
  reader: Pick<RunStore, 'events' | 'get'>,
): Promise<void> {
  const files = new DerivedFiles(directory)
  const steps = new StepFiles(files, reader)
  let view = createView()
  try {
    for await (const event of reader.events()) {
      view = foldEvent(view, event)
      await steps.write(event)
    }
  } finally {
    await steps.finish()
  }
  if (view.run === '') return
  await files.json('config.json', view.config)
  if (view.kind === 'train') {
    await files.json('history.json', view.steps.map(stepRecord))
    if (view.loop === 'trials') await files.json('edits.json', view.trialEdits.map(editRecord))
    for (const { version, text } of view.versions) {
      await files.text(`skills/skill_v${padded(version, 4)}.md`, await reader.get(text))
    }
    if (view.best) await files.text(bestSkillFile, await reader.get(view.best.text))
  }
  if (view.oneShot?.text !== undefined)
    await files.text('one_shot_skill.md', await reader.get(view.oneShot.text))
  await files.json('runtime_state.json', runtimeRecord(view))
  await files.json('summary.json', summaryRecord(view))
}

export const bestSkillFile = 'best_skill.md'

/** Writes the best skill as soon as it is found, so that it can be used while training continues. */
export function writeBestSkill(directory: string, text: string): Promise<void> {
  return new DerivedFiles(directory).text(bestSkillFile, text)
}

/** Writes the files of one step or epoch when its event is read, so that little is kept in memory. */
class StepFiles {
  readonly #files: DerivedFiles
  readonly #reader: Pick<RunStore, 'get'>
  #rollouts: { step: number; file: LineFile } | undefined
  #step: EventBody<'step.started'> | undefined
  #patches: { step: number; all: EventBody<'reflect.finished'>['patches'] } | undefined
  #isByTrials = false
  #evaluation: EventBody<'evaluation.finished'> | undefined

  constructor(files: DerivedFiles, reader: Pick<RunStore, 'get'>) {
    this.#files = files
    this.#reader = reader
  }

  async write(event: RunEvent): Promise<void> {
    switch (event.type) {
      case 'step.started':
        this.#step = event.body
        return
      case 'attempt.finished':
        return event.body.stage === 'rollout' ? this.#addRollout(event.body) : undefined
      case 'reflect.finished':
        if (this.#patches?.step !== event.body.step) this.#patches = { step: event.body.step, all: [] }
        this.#patches.all.push(...event.body.patches)
        return this.#files.json(`${stepFolder(event.body.step)}/patches.json`, this.#patches.all)
      case 'aggregate.finished':
        return this.#files.json(`${stepFolder(event.body.step)}/merged_patch.json`, event.body)
      case 'select.finished':
        return this.#files.json(`${stepFolder(event.body.step)}/ranked_edits.json`, event.body)
      case 'rewrite.finished':
        return this.#files.json(`${stepFolder(event.body.step)}/rewrite.json`, event.body)
      case 'appendix.consolidated':
        return this.#files.json(`${stepFolder(event.body.step)}/appendix.json`, event.body)
      case 'trials.designed':
        this.#isByTrials = true
        return this.#files.json(`${stepFolder(event.body.step)}/variants.json`, event.body.variants)
      case 'trials.classified':
        return this.#files.json(`${stepFolder(event.body.step)}/concerned_tasks.json`, event.body)
      case 'trials.admitted':
        return this.#files.json(`${stepFolder(event.body.step)}/admitted_edits.json`, event.body)
      case 'update.finished': {
        const { step, text, reports } = event.body
        const folder = stepFolder(step)
        await this.#files.json(`${folder}/edit_reports.json`, reports)
        return this.#files.text(`${folder}/candidate_skill.md`, await this.#reader.get(text))
      }
      case 'evaluation.finished':
        if (event.body.stage === 'gate') this.#evaluation = event.body
        return
      case 'gate.decided':
        return this.#writeGate(event.body)
      case 'slow-update.finished':
        return this.#writeEpoch('slow_update', event.body, event.body.guidance)
      case 'meta-skill.finished':
        return this.#writeEpoch('meta_skill', event.body, event.body.content)
      default:
        return
    }
  }

  async finish(): Promise<void> {
    const open = this.#rollouts
    this.#rollouts = undefined
    await open?.file.finish()
  }

  async #addRollout(body: EventBody<'attempt.finished'>): Promise<void> {
    // No rollout files for trials: two rounds run at a time, and the log has their attempts with the variant
    // of each.
    if (this.#isByTrials || body.step !== this.#step?.step || body.skill !== this.#step.skill) return
    if (this.#rollouts?.step !== body.step) {
      await this.finish()
      this.#rollouts = {
        step: body.step,
        file: await this.#files.lines(`${stepFolder(body.step)}/rollouts.jsonl`),
      }
    }
    const last = body.messages.findLast(message => message.role === 'assistant')
    const answer = last?.blob === undefined ? last?.text : await this.#reader.get(last.blob)
    await this.#rollouts.file.add(rolloutRecord(body, answer))
  }

  async #writeGate(gate: EventBody<'gate.decided'>): Promise<void> {
    const evaluation = this.#evaluation?.skill === gate.candidate ? this.#evaluation : undefined
    this.#evaluation = undefined
    const rows = evaluation && parseRows(await this.#reader.get(evaluation.rows))
    const folder =
      gate.what === 'slow-update' ? epochFolder('slow_update', gate.epoch) : stepFolder(gate.step)
    const name = evaluationNames[gate.what]
    await this.#files.json(`${folder}/${name}.json`, evaluationRecord(gate, evaluation, rows))
  }

  async #writeEpoch(name: 'slow_update' | 'meta_skill', body: { epoch: number }, text: string | undefined) {
    const folder = epochFolder(name, body.epoch)
    await this.#files.json(`${folder}/${name}.json`, body)
    if (text !== undefined) await this.#files.text(`${folder}/${name}.md`, text)
  }
}

const evaluationNames: Readonly<Record<EventBody<'gate.decided'>['what'], string>> = {
  step: 'evaluation',
  'slow-update': 'evaluation',
  last: 'last_evaluation',
  checkpoint: 'checkpoint',
  final: 'final_test',
}

const padded = (number: number, digits: number) => String(number).padStart(digits, '0')
const stepFolder = (step: number) => `steps/step_${padded(step, 4)}`
const epochFolder = (name: string, epoch: number) => `${name}/epoch_${padded(epoch, 2)}`

function parseRows(text: string): Row[] {
  return text === '' ? [] : text.split('\n').map(line => JSON.parse(line) as Row)
}
