import { visibleLine } from '../../../core/text/visible.js'
import { shownPath } from '../../../system/shown-path.js'
import type { SleepChoice, SleepCommands } from '../../contract/sleep.js'
import type { KnownProject } from './projects.js'

/** Commands to paste into the terminal in which the dashboard was started. */

/** `skillopt sleep …` for this project, quoted so that it can be pasted safely. */
export function sleepCommand(
  { root, isHere }: KnownProject,
  cwd: string,
  ...words: readonly string[]
): string {
  const where = isHere ? [] : ['--project', shownPath(root, cwd)]
  return visibleLine(['skillopt', 'sleep', ...words, ...where].map(shellWord).join(' '))
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

export function projectCommands(project: KnownProject, cwd: string): SleepCommands {
  const command = (...words: readonly string[]) => sleepCommand(project, cwd, ...words)
  return {
    run: command('run'),
    harvest: command('harvest', '--dry-run'),
    schedule: command('schedule', '--max-cost', '2'),
    unschedule: command('unschedule'),
    exportTasks: command('tasks', 'export', 'tasks.yaml'),
  }
}

/** The command that measures the choice and adopts it if the gate accepts. */
export function measureCommand(
  project: KnownProject,
  cwd: string,
  night: number,
  { targets, edits }: SleepChoice,
): string {
  const chosen =
    edits === undefined ? targets.flatMap(name => ['--target', name]) : edits.flatMap(id => ['--edit', id])
  return sleepCommand(
    project,
    cwd,
    'adopt',
    '--night',
    String(night),
    ...chosen,
    '--measure',
    '--max-cost',
    '1',
  )
}
