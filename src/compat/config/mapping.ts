import { truth, type Variables } from '../../core/config/variables.js'

/**
 * The value of a key of the reference's YAML. It comes from a file, from `--cfg-options` or from a vendor's
 * environment variable.
 */
export interface Given {
  readonly value: unknown
  readonly origin: string
  /** True if the value comes from the command line, which overrides the environment. */
  readonly option: boolean
  /** The name that the user wrote. */
  readonly theirs: string
}

export interface Assignment {
  readonly path: readonly string[]
  readonly value: unknown
  readonly origin: string
}

const standardOrigin = 'default of the reference'

/** Collects the mapped options and tracks which keys were handled. */
export class Mapping {
  readonly fromFile: Assignment[] = []
  readonly fromOptions: Assignment[] = []
  readonly mapped: string[] = []
  readonly warnings: string[] = []
  readonly problems: string[] = []
  /** The user's key by the path of our option, so that errors name the key that the user wrote. */
  readonly labels = new Map<string, string>()
  readonly env: Variables
  readonly #given: ReadonlyMap<string, Given>
  readonly #handled = new Set<string>()
  readonly #unneeded = new Map<string, string[]>()

  constructor(given: ReadonlyMap<string, Given>, env: Variables) {
    this.#given = given
    this.env = env
  }

  /** The value of a key; undefined if it is empty, which means "not set" as in the reference. */
  text(key: string): Given | undefined {
    const given = this.#given.get(key)
    return given === undefined || given.value === '' || given.value === null ? undefined : given
  }

  /** A default of the reference, needed if ours differs. */
  standard(theirs: string, value: unknown): Given {
    return { value, origin: standardOrigin, option: false, theirs }
  }

  number(given: Given): Given {
    const { value } = given
    const numeric = typeof value === 'string' && /^[-+]?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(value.trim())
    return numeric ? { ...given, value: Number(value) } : given
  }

  /** Converts a value to a boolean. Other values are kept; the check of the config refuses them. */
  boolean(given: Given): Given {
    return { ...given, value: truth(given.value) ?? given.value }
  }

  set(path: readonly string[], given: Given): void {
    const assignment = { path, value: given.value, origin: given.origin }
    if (given.option) this.fromOptions.push(assignment)
    else this.fromFile.push(assignment)
    const ours = path.join('.')
    this.labels.set(ours, given.theirs)
    this.handled(given.theirs)
    this.note(given.origin === standardOrigin ? `${given.theirs} (not set)` : given.theirs, ours, given.value)
  }

  note(theirs: string, ours: string, value: unknown): void {
    const shown = typeof value === 'string' ? value : JSON.stringify(value)
    this.mapped.push(`${theirs} -> ${ours} = ${shown}`)
  }

  warn(sentence: string): void {
    this.warnings.push(sentence)
  }

  problem(sentence: string): void {
    this.problems.push(sentence)
  }

  place(given: Given | undefined): string {
    return given === undefined ? '' : ` (${given.origin.replace(/^file /, '')})`
  }

  handled(key: string): void {
    this.#handled.add(key)
  }

  /** Records a key that has no effect here. Keys with the same reason share one line of the output. */
  unneeded(key: string, why: string): void {
    this.handled(key)
    this.#unneeded.set(why, [...(this.#unneeded.get(why) ?? []), key])
  }

  /** Marks a key that is read elsewhere. If it was not used by then, it is listed as not needed. */
  handledQuietly(key: string, why: string): void {
    if (this.#given.has(key) && !this.#handled.has(key)) this.unneeded(key, why)
  }

  /** Keys that were not handled yet. */
  left(): [string, Given][] {
    return [...this.#given].filter(([key]) => !this.#handled.has(key))
  }

  /** Lines for the user: the mapped keys, then the keys that are not needed, with reasons. */
  lines(): string[] {
    const rest = [...this.#unneeded].map(([why, keys]) => `${keys.join(', ')}: not needed (${why})`)
    return [...this.mapped, ...rest]
  }
}
