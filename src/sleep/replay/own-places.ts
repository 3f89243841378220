import { relative, sep } from 'node:path'
import { isOutside } from '../../tasks/loading/files.js'

/** What a text becomes for an agent in a copy of a project. */
interface Confined {
  readonly text: string
  /** Whether it named a place that is in no copy. */
  readonly namedOthers: boolean
}

const elsewhere = '[a place outside of the project]'

/**
 * A request speaks of the project by its own path, and of whatever else is on the machine. In a copy, the first would lead
 * the agent to the real files as they are today, and the second to what is not part of the work: the one becomes the path
 * in the copy, the other is not told. `projects` are the paths by which a person knows the project.
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

/** Not in the middle of a path, a word or an address. */
const start = '(?<![\\w.:/\\\\~$}@-])'
const rest = `[^\\s"'\`<>|()\\[\\]{},;]*`

const homes = ['file:/', '~[\\w.-]*[/\\\\]', '\\$HOME\\b', '\\$\\{HOME\\}', '%USERPROFILE%']
const drives = ['[A-Za-z]:[/\\\\](?![/\\\\])', '\\\\\\\\\\w']

/**
 * Below these are the files of people and of running systems. `/api/users` is part of an address, and `../lib/total.js` of a
 * line of code: both stay, since neither leads anywhere from a copy.
 */
const foreignRoots = [
  ...['home', 'Users', 'root', 'etc', 'var', 'tmp', 'private', 'mnt', 'srv', 'proc', 'sys', 'Volumes'],
]

/** Up to where everything begins; a copy is at least two steps below it. */
const climbing = '(?<![\\w.]|\\.\\.[/\\\\]+)(?:\\.\\.[/\\\\]+){2,}'

function inHome(project: string, home: string | undefined): readonly string[] {
  if (home === undefined || home === '' || home === project || isOutside(home, project)) return []
  const below = relative(home, project).split(sep).join('/')
  return ['~', '$HOME', `\${HOME}`].map(name => `${name}/${below}`)
}

function oneOf(texts: readonly string[]): string {
  return texts.map(text => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
}
