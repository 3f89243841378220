import { expect, test } from 'vitest'
import { checkJob, type NightlyJob } from './job.js'

const job: NightlyJob = {
  project: '/home/jörg/a "b" $c 100% & d',
  folder: '/home/jörg/.skillopt/sleep/projects/x',
  command: ['/usr/bin/node', '/opt/main.js', 'sleep', 'run'],
  hour: 0,
  minute: 59,
  environment: { PATH: '/usr/bin' },
  needs: ['OPENAI_API_KEY'],
  variableFiles: ['/home/jörg/.env'],
}

const check = (change: Partial<NightlyJob>, env = {}) => checkJob({ ...job, ...change }, env, 'linux')

test('accepts paths with spaces, quotes, dollars, percent signs and umlauts', () => {
  expect(() => check({})).not.toThrow()
})

test.each([
  [24, 0],
  [-1, 0],
  [3, 60],
  [3.5, 0],
  [Number.NaN, 0],
])('a night cannot begin at %s:%s', (hour, minute) => {
  expect(() => check({ hour, minute })).toThrow('A night cannot begin at')
})

test.each(['a\nb', 'a\rb', 'a\0b', 'a\x1b[1m', 'a\u0085b', 'a\u2028b', 'a\ud800b', 'a\uffffb'])(
  '%j is refused wherever it stands',
  text => {
    const path = `/${text}`
    const changes: readonly Partial<NightlyJob>[] = [
      { project: path },
      { folder: path },
      { command: [path] },
      { command: ['/usr/bin/node', text] },
      { environment: { PATH: text } },
      { variableFiles: [path] },
    ]
    for (const change of changes) expect(() => check(change)).toThrow('character that no schedule can')
  },
)

test('error messages escape control characters', () => {
  expect(() => check({ command: ['/n', '\x1b[1m\u0085'] })).toThrow('no schedule can: "\\u001b[1m?".')
})

test('requires absolute paths of the platform', () => {
  expect(() => check({ project: 'here' })).toThrow('The project of a schedule must be absolute: "here".')
  expect(() => check({ command: ['node'] })).toThrow('The program of a schedule must be absolute')
  expect(() => checkJob({ ...job, project: 'C:\\here' }, {}, 'win32')).not.toThrow()
  expect(() => check({ project: 'C:\\here' })).toThrow('must be absolute')
})

test('validates variable names', () => {
  expect(() => check({ environment: { 'A B': '' } })).toThrow('"A B" cannot be the name of a variable')
  expect(() => check({ needs: ['A=B'] })).toThrow('cannot be the name of a variable')
})

test('a dummy key is not treated as a secret', () => {
  const env = { OPENAI_API_KEY: 'local' }
  expect(() => check({ command: ['/usr/local/bin/node'], needs: ['OPENAI_API_KEY'] }, env)).not.toThrow()
})

test.each<readonly [string, Partial<NightlyJob>]>([
  ['by its name', { environment: { MY_TOKEN: 'x' } }],
  ['as one that is needed', { environment: { REGION: 'x' }, needs: ['REGION'] }],
  ['by its look in an argument', { command: ['/n', '--cfg-options', 'k=sk-abcdefghijkl'] }],
  ['by its look in a variable', { environment: { HEADER: 'Bearer abcdefghijkl' } }],
  ['by its value', { command: ['/n', 'x=plain-words'] }],
])('a key is not written down, found %s', (_name, change) => {
  const env = { OPENAI_API_KEY: 'plain-words' }
  expect(() => check(change, env)).toThrow(/looks like a key/)
  try {
    check(change, env)
  } catch (error) {
    expect(String(error)).not.toMatch(/abcdef|plain-words/)
  }
})
