import type { Setting } from '../../../../src/core/view/settings-list.js'

/** Filter of the settings table. */
export interface SettingFilter {
  readonly words: string
  /** True to hide settings that have their default value. */
  readonly onlyChosen: boolean
  /** Path of the setting in the URL. This setting is always shown. */
  readonly named: string | null
}

/** The settings with every search word in their name, value or source. */
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

/** Settings grouped by the first part of their names, in config order. */
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

/** Truncates a long value, such as a list, to fit on one line of the table. */
export function shortValue(value: string, most = 120): string {
  return value.length <= most ? value : `${value.slice(0, most)}…`
}
