import type { Failures } from '../../core/comparison/failures.js'
import { type Colors, clean, count, fit, oneLine, plural, points, table } from './text.js'

const examplesShown = 3

/** Lists the tasks that the shipped skill fails, by type, with the expected and the actual answer. */
export function failingBlock(failures: Failures | undefined, colors: Colors): string {
  if (failures === undefined) return ''
  const { split, tasks, types, broken } = failures
  const failing = types.reduce((sum, type) => sum + type.failing.length, 0)
  if (failing === 0) return `No ${split} task fails.`
  const rows = types.map(type => [
    clean(type.type === '' ? '(no type)' : type.type),
    `${count(type.failing.length)} of ${count(type.tasks)}`,
    type.before === undefined ? points(type.score) : `${points(type.before)} → ${points(type.score)}`,
    fit(oneLine(type.line ?? '–'), 50),
  ])
  const examples = types.flatMap(({ failing: some }) =>
    some
      .slice(0, examplesShown)
      .map(({ task, feedback }) => `  ${colors.dim(oneLine(task))} ${fit(oneLine(feedback), 110)}`),
  )
  const lost =
    broken.length === 0
      ? []
      : [
          `${plural(broken.length, 'task')} that the seed solves ${broken.length === 1 ? 'fails' : 'fail'} now: ${fit(oneLine(broken.map(({ task }) => task).join(', ')), 100)}`,
        ]
  return [
    `still failing: ${count(failing)} of ${plural(tasks, `${split} task`)}`,
    table(['type', 'failing', 'seed → best', 'line learned from such tasks'], rows, {
      colors,
      right: [1, 2],
    }),
    ...examples,
    ...lost,
  ].join('\n')
}
