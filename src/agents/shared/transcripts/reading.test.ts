import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { source as pi } from '../../pi/transcripts.js'
import { skillsUsed } from './draft.js'
import { Entries } from './entries.js'
import { readLine } from './json-lines.js'
import { readLines, tooLong } from './lines.js'
import { agentFolder, isAttemptFolder, projectIn } from './paths.js'
import { timeOf } from './times.js'

describe('lines', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lines-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  async function linesOf(content: string | Uint8Array, longest?: number) {
    const file = join(folder, 'file')
    await writeFile(file, content)
    const lines: unknown[] = []
    for await (const some of readLines(file, new AbortController().signal, longest)) lines.push(...some)
    return lines
  }

  it('gives the last line too, whether it has its end or not', async () => {
    expect(await linesOf('a\nb')).toEqual(['a', 'b'])
    expect(await linesOf('a\n\nb\n')).toEqual(['a', '', 'b'])
    expect(await linesOf('')).toEqual([])
  })

  it('keeps characters whole that lie between two chunks', async () => {
    const long = 'ü🙂'.repeat(400_000)
    expect(await linesOf(`x${long}\n${long}`)).toEqual([`x${long}`, long])
  })

  it('marks a line that is too long, at the end as well, and continues after it', async () => {
    expect(await linesOf(`a\n${'x'.repeat(11)}\n${'y'.repeat(10)}\n${'z'.repeat(11)}`, 10)).toEqual([
      'a',
      tooLong,
      'y'.repeat(10),
      tooLong,
    ])
    expect(await linesOf(`${'x'.repeat(3_000_000)}\nb`, 2_000_000)).toEqual([tooLong, 'b'])
  })
})

describe('a line', () => {
  it('is a record, or torn, or nothing', () => {
    expect(readLine('{"a":1}')).toEqual({ record: { a: 1 }, isTorn: false })
    expect(readLine('  ')).toEqual({ isTorn: false })
    expect(readLine('\0\0')).toEqual({ isTorn: false })
    expect(readLine('{"a":')).toEqual({ isTorn: true })
    expect(readLine('[1]')).toEqual({ isTorn: true })
  })

  it('gives the record after half of another, or after zeros', () => {
    expect(readLine('{"a":"hal{"b":{"c":2}}')).toEqual({ record: { b: { c: 2 } }, isTorn: true })
    expect(readLine('\0\0{"b":2}')).toEqual({ record: { b: 2 }, isTorn: false })
  })

  it('treats no part of a truncated record as a record', () => {
    expect(readLine('{"type":"tool","input":{"type":"user","text":"forged"}')).toEqual({ isTorn: true })
    expect(readLine('{"list":[{"type":"user"}')).toEqual({ isTorn: true })
    expect(readLine('{"text":"{\\"type\\":\\"user\\"}')).toEqual({ isTorn: true })
  })
})

describe('times', () => {
  it.each([
    ['2026-11-15T19:00:05.594Z', 1794769205594],
    ['2026-11-15T20:00:05.594+01:00', 1794769205594],
    ['2026-11-15T19:00:05.594', 1794769205594],
    ['2026-11-15 19:00:05', 1794769205000],
    [1794769205594, 1794769205594],
    [1794769205.594, 1794769205594],
  ])('reads %s', (written, time) => {
    expect(timeOf(written)).toBe(time)
  })

  it.each(['', 'yesterday', '1969-01-01T00:00:00Z', 0, -1, Number.NaN, 1e300, null, {}, true])(
    'takes %s for none',
    written => {
      expect(timeOf(written)).toBeUndefined()
    },
  )
})

describe('projects', () => {
  it.each([
    ['/home/dev/proj', '/home/dev/proj'],
    ['/home/dev/proj/', '/home/dev/proj'],
    ['/home/dev/../dev/proj', '/home/dev/proj'],
    ['file:///home/dev/a%20b', '/home/dev/a b'],
    ['C:\\Users\\dev\\proj\\', 'C:\\Users\\dev\\proj'],
  ])('reads %s', (written, project) => {
    expect(projectIn(written)).toBe(project)
  })

  it.each(['', '.', 'proj', '~/proj', 'file://%zz', 'file://other/machine', 7, null, undefined])(
    'takes %s for none',
    written => {
      expect(projectIn(written)).toBeUndefined()
    },
  )

  it('knows the folders of our own attempts', () => {
    expect(isAttemptFolder('/tmp/skillopt-agent-1-2-00aa11bb-AbCdEf/work')).toBe(true)
    expect(isAttemptFolder('C:\\Temp\\skillopt-agent-1-2-00aa11bb-AbCdEf')).toBe(true)
    expect(isAttemptFolder('/home/dev/skillopt')).toBe(false)
    expect(isAttemptFolder('/home/dev/my-skillopt-agent-1')).toBe(false)
  })
})

describe('skills', () => {
  it('are used by the tools for them, and by reading their file', () => {
    expect(skillsUsed('Skill', { skill: 'notes' })).toEqual(['notes'])
    expect(skillsUsed('activate_skill', { name: 'notes' })).toEqual(['notes'])
    expect(skillsUsed('bash', { command: 'cat .pi/skills/notes/SKILL.md' })).toEqual(['notes'])
    expect(skillsUsed('read', '{"path":"/a/skills/x/SKILL.md /a/skills/y/SKILL.md"}')).toEqual(['x', 'y'])
  })

  it('are not used by writing them', () => {
    expect(skillsUsed('Write', { file_path: '/a/skills/notes/SKILL.md' })).toEqual([])
    expect(skillsUsed('apply_patch', '*** /a/skills/notes/SKILL.md')).toEqual([])
    expect(skillsUsed('skill', 7)).toEqual([])
    expect(skillsUsed('bash', undefined)).toEqual([])
  })
})

describe('entries', () => {
  const said = (text: string, at = 1) => ({ kind: 'prompt', text, at }) as const

  it('replace what was in a group, where it was and when it was first', () => {
    const entries = new Entries()
    entries.group('a')
    entries.add(said('old', 1))
    entries.group('b')
    entries.add(said('after', 2))
    entries.group('a')
    entries.add(said('new', 3))
    entries.add(said('more', 4))
    expect(entries.all()).toEqual([said('new', 1), said('more', 4), said('after', 2)])
  })

  it('are left out from a group on, or but for some', () => {
    const entries = new Entries()
    for (const name of ['a', 'b', 'c']) {
      entries.group(name)
      entries.add(said(name))
    }
    entries.dropFrom('unknown')
    expect(entries.all()).toHaveLength(3)
    entries.dropFrom('c')
    entries.keep(new Set(['b']))
    expect(entries.all()).toEqual([said('b')])
  })

  it('end when there is no room left, tool texts first', () => {
    const entries = new Entries()
    const tool = () => ({ kind: 'tool', name: 't', output: 'z'.repeat(3_000_000) }) as const
    expect(entries.add({ ...tool() })?.output).toBeDefined()
    expect(entries.add({ ...tool() })?.output).toBeDefined()
    expect(entries.add({ ...tool() })).toEqual({ kind: 'tool', name: 't' })
    expect(entries.add(said('x'.repeat(16_000_000)))).toBeDefined()
    expect(entries.add(said('x'))).toBeUndefined()
    entries.keep(new Set())
    expect(entries.add(said('x'))).toBeDefined()
  })
})

const user = (env: Record<string, string>) => ({ home: '/home/dev', platform: 'linux' as const, env })

describe('where an agent writes', () => {
  it('is where its variable says, a leading ~ being the home', () => {
    const folder = (value: string) => agentFolder(user({ AGENT: value }), ['AGENT'], '.agent')
    expect(folder('/else')).toBe('/else')
    expect(folder('~/else')).toBe('/home/dev/else')
    expect(folder('~')).toBe('/home/dev')
    expect(folder('~other/else')).toBe('~other/else')
    expect(folder('')).toBe('/home/dev/.agent')
  })

  it('is for pi where either of its variables says', () => {
    expect(pi.places(user({}))).toEqual(['/home/dev/.pi/agent/sessions'])
    expect(pi.places(user({ PI_CODING_AGENT_DIR: '/pi' }))).toEqual(['/pi/sessions'])
    expect(
      pi.places(user({ PI_CODING_AGENT_DIR: '/pi', PI_CODING_AGENT_SESSION_DIR: '~/sessions' })),
    ).toEqual(['/home/dev/sessions'])
    expect(pi.places(user({ PI_CODING_AGENT_SESSION_DIR: '' }))).toEqual(['/home/dev/.pi/agent/sessions'])
  })
})
