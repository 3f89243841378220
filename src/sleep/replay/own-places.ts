import { relative, sep } from 'node:path'
import { isOutside } from '../../tasks/loading/files.js'

/** A request's text, rewritten for an agent that works in a project copy. */
interface Confined {
  readonly text: string
  /** True if the text named a path outside the copy. */
  readonly namedOthers: boolean
}

const elsewhere = '[a place outside of the project]'

/**
 * Rewrites the paths in requests for a copy of the project. The project's real path would lead the agent to
 * today's files, so it becomes the path of the copy. Paths to other places on the machine lead outside the
 * task, so they are removed. `projects` are the paths by which a person knows the project.
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

/** A path begins here only if it is not in the middle of a path, a word or an address. */
const start = '(?<![\\w.:/\\\\~$}@-])'
const rest = `[^\\s"'\`<>|()\\[\\]{},;]*`

const homes = ['file:/', '~[\\w.-]*[/\\\\]', '\\$HOME\\b', '\\$\\{HOME\\}', '%USERPROFILE%']
const drives = ['[A-Za-z]:[/\\\\](?![/\\\\])', '\\\\\\\\\\w']

/**
 * Folders that hold files of people and of running systems. Other paths stay: `/api/users` is part of an
 * address and `../lib/total.js` of a line of code, and neither leads out of a copy.
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

/**
 * Paths that climb two or more levels. Fewer stay inside, because a copy is at least two levels below the
 * root.
 */
const climbing = '(?<![\\w.]|\\.\\.[/\\\\]+)(?:\\.\\.[/\\\\]+){2,}'

function inHome(project: string, home: string | undefined): readonly string[] {
  if (home === undefined || home === '' || home === project || isOutside(home, project)) return []
  const below = relative(home, project).split(sep).join('/')
  return ['~', '$HOME', `\${HOME}`].map(name => `${name}/${below}`)
}

function oneOf(texts: readonly string[]): string {
  return texts.map(text => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
}
