/** What the browser keeps for us between visits. One that keeps nothing is no reason not to work. */

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
    // It holds until the page is closed; that is all that can be done.
  }
}
