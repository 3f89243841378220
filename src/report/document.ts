import { plural, provenanceOf, taskCounts } from '../core/text/format.js'
import type { RunView } from '../core/view/fold.js'
import { simulatedMark } from '../core/view/simulated-mark.js'
import type { Block, Section } from './blocks/blocks.js'
import type { ReportSource } from './blocks/source.js'
import { costSection } from './sections/cost.js'
import { failingSection } from './sections/failing.js'
import { settingsSection } from './sections/settings.js'
import { skillSection } from './sections/skill.js'
import { editSection, gateSection, scoreSection } from './sections/steps.js'
import { summaryBlocks, timeText } from './sections/summary.js'
import { evaluationSection, testSection } from './sections/tests.js'
import { troubleSection } from './sections/trouble.js'

/** A complete report, independent of Markdown or HTML. */
export interface Report {
  readonly title: string
  /** Shown beside the title: `finished`, `simulated` and so on. */
  readonly badges: readonly string[]
  readonly subtitle: string
  readonly summary: readonly Block[]
  readonly sections: readonly Section[]
  readonly footer: string
}

const kinds: Readonly<Record<RunView['kind'], string>> = {
  train: 'Training',
  eval: 'Evaluation',
  baseline: 'Baselines',
  'judge-check': 'Judge check',
  'gate-check': 'Gate check',
  probe: 'Probe',
  mine: 'Mining',
}

export function reportOf(source: ReportSource): Report {
  const { view, state } = source
  const simulated = simulatedMark(view)
  const kind = kinds[view.kind]
  const counts = view.kind === 'mine' ? '' : ` · ${taskCounts(view)}`
  const plan =
    view.kind === 'train'
      ? ` · ${plural(view.epochs, 'epoch')} of at most ${plural(view.stepsPerEpoch, 'step')}`
      : ''
  return {
    title: view.run,
    badges: [
      state,
      ...(simulated ? [simulated] : []),
      ...(view.importedFrom === undefined ? [] : ['imported']),
    ],
    subtitle: `${kind}${counts}${plan}${provenanceOf(view)}`,
    summary: summaryBlocks(source),
    sections: [
      ...testSection(source),
      ...failingSection(source),
      ...evaluationSection(source),
      ...(view.loop === 'trials' ? editSection(source) : []),
      ...scoreSection(source),
      ...gateSection(source),
      ...(view.loop === 'trials' ? [] : editSection(source)),
      ...skillSection(source),
      ...oneShotSection(source),
      ...costSection(source),
      ...troubleSection(source),
      ...settingsSection(source),
    ],
    footer: `Made by skillopt from the event log (${plural(view.events, 'event')}, ${timeText(view.startedAt)} to ${timeText(view.lastAt)}). The run was begun by ${view.product}.`,
  }
}

function oneShotSection({ view, oneShot }: ReportSource): Section[] {
  if (view.oneShot === undefined) return []
  const blocks: Block[] =
    oneShot === undefined
      ? [
          {
            kind: 'text',
            tone: 'unsure',
            text: `The optimizer's reply was unusable: ${view.oneShot.summary}`,
          },
        ]
      : [
          {
            kind: 'text',
            text: `Written by the optimizer from a few train tasks, without training. ${view.oneShot.summary}`,
          },
          {
            kind: 'diff',
            lines: oneShot
              .trimEnd()
              .split('\n')
              .map(text => ({ change: 'same', text, origin: '' })),
          },
        ]
  return [{ id: 'one-shot', title: 'The one-shot skill', blocks }]
}
