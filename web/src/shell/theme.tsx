import { useEffect, useState } from 'react'
import { keep, readKept } from './kept.js'

const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const keptTheme = (): Theme => themes.find(theme => theme === readKept('theme')) ?? 'system'

/**
 * Switches between light, dark and the system's theme. `theme.js` applies the stored one before the first
 * paint.
 */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(keptTheme)
  useEffect(() => {
    document.documentElement.dataset.theme = theme
    keep('theme', theme)
  }, [theme])
  return (
    <label className="theme">
      <span className="visually-hidden">Theme</span>
      <select value={theme} onChange={event => setTheme(event.target.value as Theme)}>
        {themes.map(name => (
          <option key={name} value={name}>
            {{ system: '◐ System', light: '○ Light', dark: '● Dark' }[name]}
          </option>
        ))}
      </select>
    </label>
  )
}
