import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { call, failure, type Machine, mustCall } from './calls.js'
import { type Command, type Entry, entryOf, keyPattern, type NightSystem } from './entry.js'
import { filesIn, readText, removeFile, withNewFiles } from './settings.js'
import { readXmlText, xmlText } from './xml.js'

const label = (key: string) => `skillopt.sleep.${key}`
const plistName = new RegExp(`^skillopt\\.sleep\\.(${keyPattern})\\.plist$`)

/** Exit codes of launchctl for an unknown service, in older and newer versions. */
const notLoaded = [3, 36, 113]
/** Exit codes that mean that the previous service is still shutting down. */
const stillLeaving = [5, 37]

export function createLaunchd(machine: Machine, pauseMs = 500): NightSystem {
  const folder = join(machine.home, 'Library', 'LaunchAgents')
  const file = (key: string) => join(folder, `${label(key)}.plist`)
  const domain = `gui/${machine.userId}`
  const unload = async (key: string) => {
    const command: Command = ['launchctl', 'bootout', `${domain}/${label(key)}`]
    const end = await call(machine, command)
    if (end?.code === 0 || notLoaded.includes(end?.code ?? 0)) return
    throw failure('The agent cannot be stopped', command, end)
  }
  const load = async (key: string, tries = 5): Promise<void> => {
    const command: Command = ['launchctl', 'bootstrap', domain, file(key)]
    const end = await call(machine, command)
    if (end?.code === 0) return
    if (tries === 1 || !stillLeaving.includes(end?.code ?? 0)) {
      throw failure('The agent cannot be started', command, end)
    }
    await wait(pauseMs)
    await load(key, tries - 1)
  }
  return {
    name: 'launchd',
    remark:
      'launchd makes up for a night that the Mac sleeps through, and not for one at which it is switched off or you are logged out.',
    async problem() {
      return (await call(machine, ['launchctl', 'version'])) === undefined
        ? 'launchctl is not installed'
        : undefined
    },
    async put(entry) {
      const service = `${domain}/${label(entry.key)}`
      await withNewFiles({ [file(entry.key)]: plistText(entry) }, async () => {
        await unload(entry.key)
        // The user may have disabled the service earlier. That state outlives the service's file, so it is
        // enabled here.
        await mustCall(machine, 'The agent cannot be switched on', ['launchctl', 'enable', service])
        await load(entry.key)
      })
    },
    async list() {
      const keys = (await filesIn(folder)).flatMap(name => plistName.exec(name)?.[1] ?? [])
      return Promise.all(
        keys.map(async key => ({ key, entry: readPlist(key, (await readText(file(key))) ?? '') })),
      )
    },
    async remove(keys) {
      for (const key of keys) {
        await unload(key)
        await removeFile(file(key))
      }
    },
  }
}

export function plistText({ key, hour, minute, command }: Entry): string {
  const words = command.map(word => `    <string>${xmlText(word)}</string>`).join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${label(key)}</string>
  <key>ProgramArguments</key>
  <array>
${words}
  </array>
  <key>StartCalendarInterval</key>
  <dict>
    <key>Hour</key>
    <integer>${hour}</integer>
    <key>Minute</key>
    <integer>${minute}</integer>
  </dict>
  <key>ProcessType</key>
  <string>Background</string>
</dict>
</plist>
`
}

export function readPlist(key: string, plist: string): Entry | undefined {
  const number = (name: string) =>
    new RegExp(`<key>${name}</key>\\s*<integer>(\\d+)</integer>`).exec(plist)?.[1]
  const [, words] = /<key>ProgramArguments<\/key>\s*<array>(.*?)<\/array>/s.exec(plist) ?? []
  const texts = words?.matchAll(/<string>([^<]*)<\/string>/g) ?? []
  return entryOf(
    key,
    [number('Hour'), number('Minute')],
    [...texts].map(([, text = '']) => readXmlText(text)),
  )
}
