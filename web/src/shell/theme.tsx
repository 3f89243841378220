import { useEffect, useState } from 'react'

const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const kept = (): Theme => themes.find(theme => theme === localStorage.getItem('theme')) ?? 'system'

/** Which theme: the system's unless somebody chose. Kept in the browser. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(kept)
  useEffect(() => {
    document.documentElement.dataset.theme = theme
    localStorage.setItem('theme', theme)
  }, [theme])
  return (
    <label className="theme">
      <span>Theme</span>
      <select value={theme} onChange={event => setTheme(event.target.value as Theme)}>
        {themes.map(name => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}
