import type { Setting } from '../../../../src/core/view/settings-list.js'

/** What people look for among settings. */
export interface SettingFilter {
  readonly words: string
  /** Without those that nobody set. */
  readonly onlyChosen: boolean
  /** The one that the address names is shown whatever else is asked for. */
  readonly named: string | null
}

/** Every word has to be somewhere in its name, value or origin. */
export function shownSettings(
  settings: readonly Setting[],
  { words, onlyChosen, named }: SettingFilter,
): readonly Setting[] {
  const wanted = words.toLowerCase().split(/\s+/)
  return settings.filter(setting => {
    if (setting.path === named) return true
    if (onlyChosen && setting.source === 'default') return false
    const text = `${setting.path} ${setting.value} ${setting.source}`.toLowerCase()
    return wanted.every(word => text.includes(word))
  })
}

/** By the first part of their names, in the order of the config. */
export function settingSections(
  settings: readonly Setting[],
): readonly { readonly name: string; readonly settings: readonly Setting[] }[] {
  const sections = new Map<string, Setting[]>()
  for (const setting of settings) {
    const name = setting.path.includes('.') ? (setting.path.split('.')[0] ?? '') : 'project'
    const known = sections.get(name)
    if (known === undefined) sections.set(name, [setting])
    else known.push(setting)
  }
  return [...sections].map(([name, own]) => ({ name, settings: own }))
}

/** A value that is long, such as a list, in one line of a table. */
export function shortValue(value: string, most = 120): string {
  return value.length <= most ? value : `${value.slice(0, most)}…`
}
