/** Reads a value from the browser's storage. Returns undefined if storage is unavailable. */

export function readKept(name: string): string | undefined {
  try {
    return localStorage.getItem(`skillopt-${name}`) ?? undefined
  } catch {
    return undefined
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`skillopt-${name}`, value)
  } catch {
    // Without storage, the value holds until the page is closed.
  }
}
