import { relative, sep } from 'node:path'
import { isOutside } from '../../tasks/loading/files.js'

/** A text rewritten for an agent in a project copy. */
interface Confined {
  readonly text: string
  /** True if the text named a path outside the copy. */
  readonly namedOthers: boolean
}

const elsewhere = '[a place outside of the project]'

/**
 * Requests name the project by its real path, and other places on the machine. In a copy, the former would
 * lead the agent to today's real files and the latter outside the task. Project paths are therefore
 * rewritten to the copy, and other paths are removed. `projects` are the paths by which a person knows the
 * project.
 */
export function createConfinement(
  projects: readonly string[],
  home: string | undefined,
): (text: string) => Confined {
  const names = projects.flatMap(project => [project, ...inHome(project, home)])
  const own = new RegExp(`${start}(?:file://)?(?:${oneOf(names)})(?:/|(?![\\w-]|\\.\\w))`, 'g')
  const roots = oneOf([...foreignRoots, ...projects.flatMap(project => project.split('/')[1] ?? [])])
  const others = [...homes, ...drives, `/+(?:${roots})/`].join('|')
  const foreign = new RegExp(`(?:${start}(?:${others})|${climbing}(?:${roots})/)${rest}`, 'g')
  return given => {
    const inCopy = given.replaceAll(own, './')
    const text = inCopy.replaceAll(foreign, elsewhere)
    return { text, namedOthers: text !== inCopy }
  }
}

/** Does not match in the middle of a path, a word or an address. */
const start = '(?<![\\w.:/\\\\~$}@-])'
const rest = `[^\\s"'\`<>|()\\[\\]{},;]*`

const homes = ['file:/', '~[\\w.-]*[/\\\\]', '\\$HOME\\b', '\\$\\{HOME\\}', '%USERPROFILE%']
const drives = ['[A-Za-z]:[/\\\\](?![/\\\\])', '\\\\\\\\\\w']

/**
 * Folders with files of people and of running systems. `/api/users` is part of an address and
 * `../lib/total.js` of a line of code: both are kept, since neither leads out of a copy.
 */
const foreignRoots = [
  'home',
  'Users',
  'root',
  'etc',
  'var',
  'tmp',
  'private',
  'mnt',
  'srv',
  'proc',
  'sys',
  'Volumes',
]

/** Paths that climb two or more levels; a copy is at least two levels below the root. */
const climbing = '(?<![\\w.]|\\.\\.[/\\\\]+)(?:\\.\\.[/\\\\]+){2,}'

function inHome(project: string, home: string | undefined): readonly string[] {
  if (home === undefined || home === '' || home === project || isOutside(home, project)) return []
  const below = relative(home, project).split(sep).join('/')
  return ['~', '$HOME', `\${HOME}`].map(name => `${name}/${below}`)
}

function oneOf(texts: readonly string[]): string {
  return texts.map(text => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
}
