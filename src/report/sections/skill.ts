import { diffLines } from 'diff'
import type { LineOrigins } from '../../core/skill/document.js'
import { oneLine } from '../../core/text/format.js'
import { editEvidence } from '../../core/view/edit-evidence.js'
import type { RunView } from '../../core/view/fold.js'
import type { Block, DiffLine, Section } from '../blocks/blocks.js'
import type { ReportSource } from '../blocks/source.js'
import { tasksText } from './steps.js'

/** Number of unchanged lines kept around a change. */
const context = 3

/** Changes from the seed to the best skill, with the origin of each line. */
export function skillSection({ view, seed, best }: ReportSource): Section[] {
  if (view.kind !== 'train' || best === undefined) return []
  const title = 'The skill'
  if (best.text === seed) {
    return [
      {
        id: 'skill',
        title,
        blocks: [
          {
            kind: 'text',
            text:
              view.loop === 'trials'
                ? 'The seed skill ships, unchanged.'
                : 'The best skill is the seed skill: no edit was better on validation.',
          },
        ],
      },
    ]
  }
  const lines = withGaps(diffOf(seed, best.text, best.lines))
  const blocks: Block[] = [
    {
      kind: 'text',
      text: `The change from the seed skill to version ${view.best?.version ?? '?'}, with the edit behind each new line.`,
    },
    { kind: 'diff', lines },
    ...originTable(view, best.lines),
  ]
  return [{ id: 'skill', title, blocks }]
}

export function diffOf(seed: string, best: string, origins: readonly LineOrigins[]): DiffLine[] {
  let at = 0
  return diffLines(unix(seed), unix(best)).flatMap(({ value, added, removed }) => {
    const texts = value.replace(/\n$/, '').split('\n')
    return texts.map((text): DiffLine => {
      if (removed) return { change: 'removed', text, origin: '' }
      // An empty line needs no origin.
      const from = text.trim() === '' ? [] : (origins[at]?.origins.filter(origin => origin !== 'seed') ?? [])
      at += 1
      return { change: added ? 'added' : 'same', text, origin: from.join(', ') }
    })
  })
}

const unix = (text: string) => text.replaceAll('\r\n', '\n')

/** Replaces each long unchanged stretch by one line that states its length. */
function withGaps(lines: readonly DiffLine[]): DiffLine[] {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some(({ change }) => change !== 'same'),
  )
  const shown: DiffLine[] = []
  let hidden = 0
  const closeGap = () => {
    if (hidden > 0)
      shown.push({ change: 'gap', text: `${hidden} unchanged line${hidden === 1 ? '' : 's'}`, origin: '' })
    hidden = 0
  }
  lines.forEach((line, index) => {
    if (near[index] !== true) {
      hidden += 1
      return
    }
    closeGap()
    shown.push(line)
  })
  closeGap()
  return shown
}

function originTable(view: RunView, lines: readonly LineOrigins[]): Block[] {
  const used = [...new Set(lines.flatMap(({ origins }) => origins))].filter(origin => origin !== 'seed')
  if (used.length === 0) return []
  const edits = new Map(
    view.steps.flatMap(step => step.edits.map(edit => [edit.id, { step, edit }] as const)),
  )
  if (view.loop === 'trials') return [evidenceTable(view, used)]
  const rows = used.map(origin => {
    const found = edits.get(origin)
    if (found === undefined) return [{ text: origin, code: true }, '–', otherOrigin(origin), '–', '–']
    const { step, edit } = found
    return [
      { text: origin, code: true },
      String(step.step),
      oneLine(edit.why ?? ''),
      edit.support === 0 ? '–' : String(edit.support),
      tasksText(edit),
    ]
  })
  const head = ['origin', 'step', 'why', 'support', 'tasks']
  return [
    { kind: 'table', caption: 'Where the lines of the best skill came from', head, rows, right: [1, 3] },
  ]
}

/** Training by trials: the evidence for each line of the skill. */
function evidenceTable({ trialEdits }: RunView, used: readonly string[]): Block {
  const rows = used.map(origin => {
    const edit = trialEdits.find(({ id }) => id === origin)
    return [
      { text: origin, code: true },
      edit === undefined ? otherOrigin(origin) : oneLine(editEvidence(edit)),
      edit === undefined ? '–' : oneLine(edit.trial.cause),
      edit === undefined ? '–' : tasksText(edit),
    ]
  })
  const head = ['origin', 'evidence', 'cause', 'proposed from']
  return { kind: 'table', caption: 'Where the lines of the best skill came from', head, rows }
}

/** Describes the origin of text that no single edit added, such as `slow-update:2`. */
function otherOrigin(origin: string): string {
  const [, what, epoch] = /^([a-z-]+):(\d+)$/.exec(origin) ?? []
  return what === undefined ? 'not an edit of this run' : `${what.replaceAll('-', ' ')}, epoch ${epoch}`
}
