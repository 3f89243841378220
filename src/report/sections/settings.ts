import type { Setting } from '../../core/view/settings-list.js'
import type { Block, Section } from '../blocks/blocks.js'
import type { ReportSource } from '../blocks/source.js'

/** Lists explicitly chosen settings first, then the defaults for reference. */
export function settingsSection({ settings }: ReportSource): Section[] {
  if (settings.length === 0) return []
  const chosen = settings.filter(({ source }) => source !== 'default')
  const defaults = settings.filter(({ source }) => source === 'default')
  const table = (caption: string, rows: readonly Setting[]): Block => ({
    kind: 'table',
    caption,
    head: ['setting', 'value', 'from'],
    rows: rows.map(({ path, value, source }) => [
      { text: path, code: true },
      { text: value, code: true },
      source,
    ]),
  })
  const blocks: Block[] = [
    ...(chosen.length === 0
      ? [{ kind: 'text', text: 'All settings are the defaults.' } as const]
      : [table('Settings that were set', chosen)]),
    ...(defaults.length === 0
      ? []
      : [
          {
            kind: 'folded',
            title: `Defaults (${defaults.length})`,
            blocks: [table('Settings left at their defaults', defaults)],
          } as const,
        ]),
  ]
  return [{ id: 'settings', title: 'Settings', blocks }]
}
