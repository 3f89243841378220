import { count, oneLine, plural, points } from '../../core/text/format.js'
import type { Block, Section, Table } from '../blocks/blocks.js'
import type { ReportSource } from '../blocks/source.js'

const examplesShown = 5
const longest = 160

/** The tasks that still fail with the shipped skill, by type, with the expected and the actual result. */
export function failingSection({ failures }: ReportSource): Section[] {
  if (failures === undefined) return []
  const { split, tasks, types, broken } = failures
  const failing = types.reduce((sum, type) => sum + type.failing.length, 0)
  const text = `${count(failing)} of ${plural(tasks, `${split} task`)} still fail; the seed solves ${count(broken.length)} of them.`
  if (failing === 0) return [section([{ kind: 'text', text: `No ${split} task fails.` }])]
  const byType: Table = {
    kind: 'table',
    caption: 'Failing tasks by type',
    head: ['type', 'failing', 'tasks', 'seed', 'best', 'line learned from such tasks'],
    rows: types.map(type => [
      nameOf(type.type),
      count(type.failing.length),
      count(type.tasks),
      type.before === undefined ? '–' : points(type.before),
      points(type.score),
      short(type.line ?? '–'),
    ]),
    right: [1, 2, 3, 4],
  }
  const lost = new Set(broken.map(({ task }) => task))
  const examples: Table = {
    kind: 'table',
    caption: 'Failing tasks, expected and got',
    head: ['task', 'type', 'solved by the seed', 'expected and got'],
    rows: types.flatMap(({ failing: some }) =>
      some
        .slice(0, examplesShown)
        .map(({ task, type, feedback }) => [
          oneLine(task),
          nameOf(type),
          lost.has(task) ? 'yes: it broke' : 'no',
          short(feedback),
        ]),
    ),
    right: [],
  }
  return [section([{ kind: 'text', text }, byType, examples])]
}

const section = (blocks: readonly Block[]): Section => ({ id: 'failing', title: 'What still fails', blocks })

const nameOf = (type: string): string => (type === '' ? '(no type)' : oneLine(type))

function short(text: string): string {
  const line = oneLine(text)
  return line.length > longest ? `${line.slice(0, longest)}…` : line
}
