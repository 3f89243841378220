import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entriesIn, withEntry } from './cron.js'
import { type Entry, keyOf } from './entry.js'
import { checkJob, type NightlyJob, settingsSchema } from './job.js'
import { plistText, readPlist } from './launchd.js'
import { settingsFile, settingsText } from './settings.js'
import { readUnits, serviceText, timerText } from './systemd.js'
import { readTask, taskText } from './task-scheduler.js'
import { decodePath, encodePath } from './words.js'

const parts = [
  ...`ab .-/\\'"%$&;|<>(){}[]=~!#\`*?:,@^`,
  'ü',
  'é',
  '日',
  '😀',
  '%%',
  '\\%',
  '$HOME',
  '%PATH%',
  '\\\\',
  '&amp;',
  ']]>',
]
const hostile = fc.array(fc.constantFrom(...parts), { maxLength: 10 }).map(some => some.join(''))
const path = hostile.map(text => `/${text}`)
const names = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,5}$/).filter(name => !/KEY|TOKEN|SECRET|PASSW/.test(name))

const jobs: fc.Arbitrary<NightlyJob> = fc.record({
  project: path,
  folder: hostile.map(text => `/home/${text}x`),
  command: fc
    .tuple(path, fc.array(hostile, { maxLength: 5 }))
    .map(([program, rest]) => [program, ...rest] as const),
  hour: fc.nat(23),
  minute: fc.nat(59),
  environment: fc.dictionary(names, hostile, { maxKeys: 3, noNullPrototype: true }),
  needs: fc.constantFrom([], ['OPENAI_API_KEY']),
  variableFiles: fc.array(path, { maxLength: 2 }),
})

/** Writes an entry in each system's format and reads it back. */
const systems: Readonly<Record<string, (entry: Entry) => Entry | undefined>> = {
  cron: entry => entriesIn(withEntry('# mine\n', entry))[0]?.entry,
  systemd: entry => readUnits(entry.key, serviceText(entry), timerText(entry)),
  launchd: entry => readPlist(entry.key, plistText(entry)),
  // Simulates a code page that lacks most characters.
  'task-scheduler': entry =>
    readTask(entry.key, taskText(entry, new Date(0)).replace(/[^\x20-\x7e\n]/g, '?')),
}

test.each(Object.entries(systems))('%s: from a job to texts and back to the same job', (_name, through) => {
  fc.assert(
    fc.property(jobs, job => {
      checkJob(job, {}, 'linux')
      const file = settingsFile(job.folder)
      const { hour, minute } = job
      const entry: Entry = { key: keyOf(job.project), hour, minute, command: ['/n', '/r', encodePath(file)] }
      const read = through(entry)
      expect(read).toEqual(entry)
      expect(decodePath(read?.command.at(-1) ?? '')).toBe(file)
      const { format: _format, ...settings } = settingsSchema.parse(JSON.parse(settingsText(job)))
      expect({ ...settings, folder: job.folder, hour: read?.hour, minute: read?.minute }).toEqual(job)
    }),
  )
})
