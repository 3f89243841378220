import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSchedule, type NightlyJob } from '../../src/sleep/schedule/index.js'

/** Scripts that stand in for system programs and record how they were called. None of them has a PATH. */
const programs = {
  crontab: `case "$1" in
-l) if [ -f "$STATE/crontab" ]; then /bin/cat "$STATE/crontab"; else echo "no crontab for me" >&2; exit 1; fi ;;
-) /bin/cat > "$STATE/crontab" ;;
esac`,
  systemctl: '',
  launchctl: `case "$1" in
bootout) [ -f "$STATE/$2" ] || { echo "Boot-out failed: 3: No such process" >&2; exit 3; }; /bin/rm "$STATE/$2" ;;
bootstrap) name="\${3##*/}"; /bin/mkdir -p "$STATE/$2"; : > "$STATE/$2/\${name%.plist}" ;;
esac`,
} as const

/**
 * Stores tasks as Windows does: the file must be UTF-16, and output uses a code page that lacks most
 * letters.
 */
const schtasks = `const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs')
const state = process.env.STATE
const tasks = existsSync(state + '/tasks.json') ? JSON.parse(readFileSync(state + '/tasks.json', 'utf8')) : { '\\\\Other\\\\task': '<Task/>' }
const words = process.argv.slice(2)
const after = name => words[words.indexOf(name) + 1]
const print = text => process.stdout.write(Buffer.from(text.replace(/[^\\x00-\\x7f]/g, '?'), 'latin1'))
appendFileSync(state + '/calls', 'schtasks ' + words.join(' ') + '\\n')
if (words[0] === '/Create') {
  const bytes = readFileSync(after('/XML'))
  if (bytes[0] !== 0xff || bytes[1] !== 0xfe) throw new Error('not UTF-16')
  tasks[after('/TN')] = bytes.subarray(2).toString('utf16le')
} else if (words[0] === '/Delete') delete tasks[after('/TN')]
else if (words.includes('/TN')) print(tasks[after('/TN')])
else for (const name of Object.keys(tasks)) print('"' + name + '","N/A","Bereit"\\r\\n')
// Only then: several may be read at once.
if (words[0] !== '/Query') writeFileSync(state + '/tasks.json', JSON.stringify(tasks))
`

type Program = keyof typeof programs | 'schtasks'

/** A machine with only these programs, and a home and a project on disk. */
export async function nightMachine(platform: NodeJS.Platform, has: readonly Program[]) {
  const root = await mkdtemp(join(tmpdir(), 'skillopt-schedule-'))
  const place = (...names: string[]) => join(root, ...names)
  await Promise.all(['bin', 'state', 'home', 'project'].map(name => mkdir(place(name))))
  /** Adds a program whose behaviour is the shell script `body`. */
  const put = async (name: string, body: string) => {
    const file = place('bin', name)
    const text =
      name === 'schtasks' && body === ''
        ? `#!${process.execPath}\n${schtasks}`
        : `#!/bin/sh\necho "${name} $*" >> "$STATE/calls"\n${body}\n`
    await writeFile(file, text)
    await chmod(file, 0o755)
  }
  for (const name of has) await put(name, name === 'schtasks' ? '' : programs[name])
  const env = { PATH: place('bin'), STATE: place('state'), HOME: place('home') }
  const job: NightlyJob = {
    project: place('project'),
    folder: place('home', 'sleep', 'projects', 'Jörg & Söhne 100% "x" $HOME'),
    command: [
      process.execPath,
      '/opt/skillopt/main.js',
      'sleep',
      'run',
      '--config',
      'a b%c$d"e\'f\\g.yaml',
      '',
    ],
    hour: 3,
    minute: 17,
    environment: { PATH: '/usr/bin:/opt/with space', SKILLOPT_HOME: place('home') },
    needs: [],
    variableFiles: [place('project', '.env')],
  }
  return {
    place,
    put,
    job,
    env,
    schedule: createSchedule({
      env,
      platform,
      userId: 501,
      now: () => new Date(2026, 10, 16, 14, 0),
      launcher: ['/opt/node 20/bin/node', '/opt/skillopt/run-night.js'],
    }),
    /** Calls of the programs, without parts that vary between runs. */
    calls: async () =>
      (await readFile(place('state', 'calls'), 'utf8')).replaceAll(root, '~').trimEnd().split('\n'),
    crontab: () => readFile(place('state', 'crontab'), 'latin1'),
    end: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  }
}
