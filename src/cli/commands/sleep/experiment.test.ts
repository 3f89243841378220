import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { timeLimit } from '../../../../test/support/time-limit.js'
import { main } from '../../main.js'

let cwd = ''
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-experiment-cli-'))
  await writeFile(join(cwd, 'file'), '')
})
afterAll(() => rm(cwd, { recursive: true }))

async function refused(...argv: readonly string[]) {
  const io = fakeIo<typeof import('../../../app/index.js')>({ cwd })
  const code = await main(['sleep', 'experiment', ...argv], io)
  return { code, out: io.out(), err: io.err() }
}

/** Invalid input fails before anything runs, with a readable message. */
it.each<[string, readonly string[], RegExp]>([
  ['nothing', [], /No persona or set given\.[\s\S]*--persona researcher/],
  [
    'an unknown persona',
    ['--persona', 'programer'],
    /no persona called programer\.[\s\S]*Did you mean programmer/,
  ],
  ['a persona that climbs', ['--persona', '../personas'], /no persona called \.\.\/personas/],
  ['an unknown set', ['--set', 'gbrian'], /Unknown set "gbrian"/],
  [
    'a persona and a set',
    ['--persona', 'analyst', '--set', 'gbrain'],
    /--persona and --set cannot be combined/,
  ],
  [
    'a skill of no set',
    ['--persona', 'analyst', '--skill', 'advisor'],
    /--skill requires --set|--skill chooses a skill/,
  ],
  [
    'a gate that is both there and not',
    ['--persona', 'analyst', '--without-gate', '--compare-gate'],
    /--without-gate and --compare-gate cannot be combined/,
  ],
  [
    'a gate that is both there and not, as `sleep run` says it',
    ['--persona', 'analyst', '--no-gate', '--compare-gate'],
    /--without-gate and --compare-gate cannot be combined/,
  ],
  ['a comparison of a set', ['--set', 'gbrain', '--compare-gate'], /--compare-gate requires --persona/],
  ['no night', ['--persona', 'analyst', '--nights', '0'], /--nights/],
  ['too many nights', ['--persona', 'analyst', '--nights', '11'], /At most 10 nights/],
  ['half a seed', ['--persona', 'analyst', '--seed', '1.5'], /--seed/],
  ['a folder that is a file', ['--persona', 'analyst', '--keep', 'file'], /Nothing can be kept in .*file/],
  [
    'a folder with something in it',
    ['--persona', 'analyst', '--keep', '.'],
    /is not empty; nothing was begun/,
  ],
])('%s is refused', { timeout: timeLimit(180_000) }, async (_what, argv, message) => {
  const { code, err } = await refused(...argv)
  expect([code, err]).toEqual([2, expect.stringMatching(message)])
})

it('is over when it is interrupted, and leaves nothing behind', { timeout: timeLimit(180_000) }, async () => {
  const temporary = join(cwd, 'temporary')
  await mkdir(temporary)
  vi.stubEnv('TMPDIR', temporary)
  vi.stubEnv('TEMP', temporary)
  try {
    const io = fakeIo<typeof import('../../../app/index.js')>({ cwd })
    const { write } = io.stderr
    io.stderr.write = text => {
      write(text)
      if (text.includes('night 1')) io.interrupt()
    }
    expect(await main(['sleep', 'experiment', '--persona', 'analyst'], io)).toBe(130)
    expect(io.err()).toMatch(
      /interrupted\.\nRerun the same command to start over; experiments do not resume\.\n$/,
    )
    expect(io.err()).not.toMatch(/is kept|goes on/)
    expect(await readdir(temporary)).toEqual([])
  } finally {
    vi.unstubAllEnvs()
  }
})
