/** Colours of the current theme for canvases, which cannot use CSS variables. */
export interface Palette {
  /** The colour of a variable such as `--line` in the current theme. */
  of(variable: string): string
  forget(): void
}

export function createPalette(near: HTMLElement): Palette {
  const known = new Map<string, string>()
  return {
    of(variable) {
      const before = known.get(variable)
      if (before !== undefined) return before
      const colour = resolve(near, variable)
      known.set(variable, colour)
      return colour
    },
    forget: () => known.clear(),
  }
}

/**
 * Computes the colour of a CSS variable. The variable itself returns only its source text, so a temporary
 * element uses it as a property.
 */
function resolve(near: HTMLElement, variable: string): string {
  const probe = document.createElement('span')
  probe.hidden = true
  probe.style.color = `var(${variable})`
  near.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Calls back when the user or the system switches the theme. Returns an unsubscribe function. */
export function onThemeChange(changed: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', changed)
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => {
    system.removeEventListener('change', changed)
    observer.disconnect()
  }
}
