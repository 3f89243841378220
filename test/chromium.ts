import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Browser } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The installed browser: SKILLOPT_CHROMIUM, or the first of the usual names. Undefined if there is none. */
export function findChromium(): string | undefined {
  if (process.env.SKILLOPT_CHROMIUM !== undefined) return process.env.SKILLOPT_CHROMIUM
  const folders = (process.env.PATH ?? '').split(delimiter).filter(folder => folder !== '')
  return folders.flatMap(folder => names.map(name => join(folder, name))).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A browser that makes no network requests of its own. */
export async function startChromium(executablePath: string): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  return chromium.launch({
    executablePath,
    args: [
      // As root, for example in CI, its sandbox does not start. It only opens our own pages.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-quic',
    ],
  })
}
