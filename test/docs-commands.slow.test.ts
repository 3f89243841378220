import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { type Command, CommanderError } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProgram } from '../src/cli/command-line.js'
import type { Library } from '../src/cli/library.js'
import { main } from '../src/cli/main.js'
import { withPythonHelp, withReferenceFlags } from '../src/compat/flags/flags.js'
import { answerSimulated } from '../src/simulated/responder.js'
import { startLoopbackServer } from '../src/testing/index.js'
import { buildWorld, cheapSettings, startGuide, startSleep } from './support/docs-world.js'
import { fakeIo } from './support/fake-io.js'
import { inlineCommands } from './support/markdown.js'
import { type ShownCommand, shownCommands } from './support/shell.js'
import { timeLimit } from './support/time-limit.js'

/** Runs every command in the documentation or, if that is impossible, parses it with the real program. */

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

/** Commands that are only parsed, with the reason. All others are run and must exit with 0. */
const onlyParsed: readonly { readonly matches: RegExp; readonly why: string }[] = [
  { matches: /--online/, why: 'calls the models of a provider' },
  {
    matches: /^skillopt eval .*--on .*(claude-code|codex)\//,
    why: 'needs agents, and the key of a provider',
  },
  { matches: /=handoff\/|--optimizer handoff\//, why: 'waits for answers; test/handoff.test.ts gives them' },
  { matches: /OPENAI_COMPATIBLE_BASE_URL=/, why: 'needs a server on that port' },
  { matches: /^skillopt runs rm (?!.*--yes)/, why: 'asks on a terminal' },
  {
    matches: /^skillopt doctor .*--gate/,
    why: 'plays hundreds of trainings; src/cli/commands/project/doctor-gate.test.ts runs it, and reads what it prints',
  },
  {
    matches: /^skillopt view/,
    why: 'serves until somebody ends it; test/end-to-end/dashboard.test.ts opens what it serves',
  },
  {
    matches: /^skillopt doctor .*--judge/,
    why: 'src/cli/commands/project/doctor-judge.test.ts runs it, and reads what it prints',
  },
  {
    matches: /examples\/spreadsheetbench/,
    why: 'needs Python in the sandbox; test/examples.test.ts trains it',
  },
  { matches: /agent-files/, why: 'needs Claude Code, logged in; test/examples.test.ts checks the project' },
  {
    matches: /^skillopt sleep tasks import/,
    why: 'needs somebody who has read the file; test/sleep-tasks.test.ts runs it, and reads what it prints',
  },
  {
    matches: /^skillopt sleep (harvest|run)\b/,
    why: 'takes no simulated model; test/examples.test.ts, end-to-end/sleep-harvest.test.ts and sleep-night.test.ts run them',
  },
  {
    matches: /^skillopt sleep (review|adopt|undo|(un)?schedule)\b/,
    why: 'needs a night and a terminal, or the schedule of this machine; end-to-end/sleep-adopt.test.ts runs it',
  },
  {
    matches: /^skillopt sleep experiment/,
    why: 'takes half a minute; end-to-end/sleep-experiment.slow.test.ts runs it, and reads what it prints',
  },
  {
    matches: /^skillopt models fetch|=local\//,
    why: 'takes hundreds of megabytes; test/end-to-end/local-model.test.ts trains on real weights',
  },
  { matches: /^skillopt quickstart/, why: 'test/examples.test.ts runs it, and reads what it prints' },
]

const pages = [
  'README.md',
  'AGENTS.md',
  ...['docs', 'examples'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.md') && basename(name) !== 'SKILL.md')
      .map(name => join(folder, name)),
  ),
].map(page => ({ page, commands: shownCommands(read(page)), mentioned: inlineCommands(read(page)) }))

/** The page for readers who have only a table of tasks. */
const guide = join('docs', 'guide.md')
/** Pages about tasks found by a harvest. */
const aboutSleep = ['sleep.md', 'sleep-reference.md'].map(name => join('docs', name))

const server = await startLoopbackServer({ respond: answerSimulated })
let world = ''
let scratch = ''
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'skillopt-docs-commands-'))
  world = await buildWorld((argv, cwd) => run(argv, cwd, { SKILLOPT_TRAIN_EPOCHS: '2' }))
})
afterAll(async () => {
  await server.close()
  for (const folder of [world, scratch])
    if (folder !== '') await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

async function run(argv: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const home = { HOME: cwd, USERPROFILE: cwd, LOCALAPPDATA: cwd }
  const settings = { ...cheapSettings(server.url), ...home, ...env }
  const io = fakeIo<Library>({ cwd, env: settings, library: await import('../src/app/index.js') })
  const code = await main(argv, io)
  return { code, said: io.out() + io.err() }
}

describe.each(pages.filter(({ commands }) => commands.length > 0))('$page', ({ page, commands }) => {
  it('shows commands that the program takes', async () => {
    for (const { line, words } of commands) await expectTaken(line, withoutNpx(words))
  })

  it('shows commands that work, one after the other', { timeout: timeLimit(180_000) }, async () => {
    const cwd = join(scratch, page.replace(/\W/g, '-'))
    await (page === guide ? startGuide(cwd) : cp(world, cwd, { recursive: true }))
    if (aboutSleep.includes(page)) await startSleep(cwd)
    for (const command of commands) await perform(command, cwd)
  })
})

it.each(pages.filter(({ mentioned }) => mentioned.length > 0))(
  '$page mentions commands that there are',
  async ({ mentioned }) => {
    for (const line of mentioned) await expectTaken(line, line.split(' ')).catch(passIfUnfinished)
  },
)

/** Running text may mention a command without its required arguments. */
function passIfUnfinished(error: unknown): void {
  if (error instanceof CommanderError && /missing/i.test(error.code)) return
  throw error
}

it('the README begins with two lines to type, within a screen', () => {
  const [before = '', block = ''] = read('README.md').split(/^```sh\n|^```\n/m)
  expect(before.split('\n').length).toBeLessThan(12)
  const commands = shownCommands(`\`\`\`sh\n${block}\`\`\`\n`)
  expect(commands.map(({ line }) => line)).toEqual(['npm ci', 'npm run quickstart', 'npm ci', 'npm test'])
})

it('runs all but a few', () => {
  const lines = pages.flatMap(({ commands }) => commands.map(({ line }) => line.replace('npx ', '')))
  for (const { matches } of onlyParsed)
    expect(
      lines.some(line => matches.test(line)),
      String(matches),
    ).toBe(true)
  const own = lines.filter(line => /\bskillopt \w/.test(line))
  expect(own.filter(line => !onlyParsed.some(({ matches }) => matches.test(line))).length).toBeGreaterThan(
    own.length / 2,
  )
})

describe('the checks themselves', () => {
  it.each([
    'skillopt trian my-skill',
    'skillopt train my-skill --max-coast 5',
    'skillopt train my-skill --max-cost five',
    'skillopt try my-skill',
    'skillopt diff my-skill-001 seed best',
    'skillopt completion tcsh',
    'npm run no-such-script',
    'node scripts/no-such-file.mjs',
    'frobnicate',
  ])('do not take: %s', async line => {
    await expect(expectTaken(line, line.split(' '))).rejects.toThrow()
  })

  it('do not let a command pass that fails', async () => {
    const [command] = shownCommands('```sh\nnpx skillopt show no-such-run\n```\n')
    if (command === undefined) throw new Error('no command was read')
    await expect(perform(command, world)).rejects.toThrow('no-such-run')
  })

  it('read shell as a shell does', () => {
    const text =
      '```sh\nA=1 npx skillopt train "my skill" \\\n  --yes > out.json && npm test  # not # this\n# nor this\n```\n'
    expect(shownCommands(text)).toEqual([
      {
        line: 'A=1 npx skillopt train my skill --yes',
        env: { A: '1' },
        words: ['npx', 'skillopt', 'train', 'my skill', '--yes'],
      },
      { line: 'npm test', env: {}, words: ['npm', 'test'] },
    ])
    expect(shownCommands('```console\n$ skillopt runs\nno runs here\n```\n').map(({ line }) => line)).toEqual(
      ['skillopt runs'],
    )
  })
})

const withoutNpx = (words: readonly string[]) =>
  words[0] === 'npx' && words[1] === 'skillopt' ? words.slice(1) : words

/**
 * Throws on an invalid command line: an unknown command, option, argument, script or file. npm and node are
 * not run: their scripts are this very suite, take minutes, or write into the working tree.
 */
async function expectTaken(line: string, words: readonly string[]): Promise<void> {
  const [program, ...rest] = words
  if (program === 'skillopt') return parse(rest)
  const exists = {
    npm: () =>
      ['ci', 'pack', 'install', 'test'].includes(rest[0] ?? '') || scripts[rest[1] ?? ''] !== undefined,
    npx: () => existsSync(join(root, 'node_modules', '.bin', rest[0] ?? '')),
    node: () => rest[0] === '--test' || existsSync(join(root, rest[0] ?? '')),
    cp: () => true,
    mkdir: () => true,
  }[program ?? '']
  if (exists?.() !== true) throw new Error(`${line}: there is no such command.`)
}

async function parse(argv: readonly string[]): Promise<void> {
  const program = createProgram(fakeIo<Library>(), () => undefined) as unknown as Command
  const tame = (command: Command): void => {
    command.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
    if (command !== program) command.action(() => undefined)
    command.commands.forEach(tame)
  }
  tame(program)
  const untyped = program as unknown as CommandUnknownOpts
  const words = withReferenceFlags(withPythonHelp(argv, untyped), untyped)
  await program.parseAsync(words, { from: 'user' }).catch(passIfHelp)
}

/** `--help` throws its own error. */
function passIfHelp(error: unknown): void {
  if (!(error instanceof CommanderError && error.code === 'commander.helpDisplayed')) throw error
}

/** Runs our own commands, and those that prepare files for them. */
async function perform({ line, env, words }: ShownCommand, cwd: string): Promise<void> {
  const [program, ...rest] = withoutNpx(words)
  const paths = rest.filter(word => !word.startsWith('-'))
  if (program === 'mkdir') await mkdir(join(cwd, paths[0] ?? ''), { recursive: true })
  if (program === 'cp') await cp(join(cwd, paths[0] ?? ''), await copyTarget(paths, cwd), { recursive: true })
  if (program !== 'skillopt' || onlyParsed.some(({ matches }) => matches.test(line.replace('npx ', ''))))
    return
  const { code, said } = await run(rest, cwd, env)
  if (code !== 0) throw new Error(`${line} ended with ${code}:\n${said}`)
}

/** Like `cp`: copies into the target if it is a folder. */
async function copyTarget([from = '', to = '']: readonly string[], cwd: string): Promise<string> {
  const target = join(cwd, to)
  const isFolder = existsSync(target) && from.includes('.')
  return isFolder ? join(target, basename(from)) : target
}
