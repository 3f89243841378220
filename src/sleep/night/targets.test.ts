import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sleepTask } from '../../../test/support/sleep-book.js'
import { readRegion } from '../model/managed-region.js'
import { writableRoots } from '../proposal/adoption-place.js'
import { loadSettings } from '../settings/settings.js'
import { findTargets } from './targets.js'

let root: string
let project: string
let env: Record<string, string>
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-targets-')))
  project = join(root, 'shop')
  env = { HOME: join(root, 'home'), SKILLOPT_HOME: join(root, 'kept') }
  await mkdir(project)
})
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

async function find(sleep: Record<string, unknown> = {}, tasks = [sleepTask('greet')]) {
  const flags = Object.fromEntries(Object.entries(sleep).map(([name, value]) => [`sleep.${name}`, value]))
  const settings = await loadSettings({ env, cwd: root, flags })
  const roots = await writableRoots({ root: project }, settings, { env })
  return findTargets(tasks, { project: { root: project, folder: join(root, 'kept') }, settings, env, roots })
}

const named = (skill: string) => sleepTask('greet', { skill })
const start = '<!-- SKILLOPT-SLEEP:LEARNED START -->'
const end = '<!-- SKILLOPT-SLEEP:LEARNED END -->'

describe('the skill that Sleep keeps', () => {
  it('is in the skill folder of the agent with the most sessions', async () => {
    const codex = sleepTask('greet', { evidence: { sessions: ['codex:1', 'codex:2', 'claude-code:1'] } })
    const { managed } = await find({}, [codex])
    expect(managed.path).toBe(join(project, '.agents/skills/skillopt-sleep-learned/SKILL.md'))
    expect((await find()).managed.path).toBe(join(project, '.claude/skills/skillopt-sleep-learned/SKILL.md'))
  })

  it('is a new document with room for a region if there is none', async () => {
    const { managed } = await find({ skill: 'house notes' })
    expect(managed).toMatchObject({ name: 'skill:house notes', live: null, region: '' })
    expect(managed.frame).toMatch(/^---\nname: "house notes"\ndescription: ".*"\n---\n/)
    expect(readRegion(managed.frame)).toEqual({ state: 'none' })
  })

  it('is the one at the path that the settings name', async () => {
    await put('shop/skills/notes/SKILL.md', `# Notes\n${start}\n- One.\n\n- Two.\n${end}\n`)
    const { managed } = await find({ skill: 'skills/notes/SKILL.md' })
    expect(managed).toMatchObject({ name: 'skill:notes', region: '- One.\n\n- Two.' })
    expect(managed.frame).toBe(managed.live)
  })

  it.each([
    ['..', /cannot be the name of a skill/],
    ['.hidden', /cannot be the name of a skill/],
    ['notes\u001b[2J', /cannot be the name of a skill/],
    ['notes/README.md', /a skill is a file called SKILL\.md/],
  ])('is not called %j', async (skill, message) => {
    await expect(find({ skill })).rejects.toThrow(message)
  })
})

describe('a document', () => {
  it.each([
    ['without the end of its region', `# Notes\n${start}\n- One.\n`, /line 2: .* has no end after it/],
    ['that ends in a code block', '# Notes\n```\ncode\n', /line 2: this code block is never closed/],
    ['whose region ends in a code block', `${start}\n\`\`\`\n${end}\n`, /CLAUDE\.md, line 1/],
    ['that has two regions', `${start}\n${end}\n${start}\n${end}\n`, /second managed region/],
  ])('%s is refused, with the line', async (_name, text, message) => {
    await put('shop/CLAUDE.md', text)
    await expect(find({ memory: ['CLAUDE.md'] })).rejects.toThrow(message)
  })

  it("behind a link keeps the link's path and must not lead outside", async () => {
    await put('shop/docs/AGENTS.md', '# For agents\n')
    await symlink('docs/AGENTS.md', join(project, 'AGENTS.md'))
    const { memory } = await find({ memory: ['AGENTS.md'] })
    expect(memory).toMatchObject([{ name: 'memory:AGENTS.md', path: join(project, 'AGENTS.md') }])
    await put('elsewhere/CLAUDE.md', '# Not of this project\n')
    await symlink('../elsewhere/CLAUDE.md', join(project, 'CLAUDE.md'))
    await expect(find({ memory: ['CLAUDE.md'] })).rejects.toThrow(
      /leads to .*elsewhere.*outside of the folders/,
    )
  })
})

describe('skills that tasks name', () => {
  it('are found in the project, in the home, and in the folders of the settings', async () => {
    await put('shop/.claude/skills/letters/SKILL.md', '# Letters\n')
    await put('home/.claude/skills/mails/SKILL.md', '# Mails\n')
    await put('more/notes/SKILL.md', '# Notes\n')
    const tasks = ['letters', 'mails', 'notes'].map(named)
    const { skills, skipped } = await find({ fanOut: true, skillRoots: ['more'] }, tasks)
    expect([...skills.keys()]).toEqual(['letters', 'mails', 'notes'])
    expect(skipped).toEqual([])
    expect((await find({ skillRoots: ['more'] }, tasks)).skills.size).toBe(0)
  })

  it('are one skill however many links lead to it, and none if ambiguous', async () => {
    await put('shop/.claude/skills/letters/SKILL.md', '# Letters\n')
    await mkdir(join(project, '.agents/skills'), { recursive: true })
    await symlink(join(project, '.claude/skills/letters'), join(project, '.agents/skills/letters'))
    expect((await find({ fanOut: true }, [named('letters')])).skills.size).toBe(1)
    await put('home/.claude/skills/letters/SKILL.md', '# Others\n')
    const { skipped } = await find({ fanOut: true }, [named('letters')])
    expect(skipped).toMatchObject([{ name: 'skill:letters', reason: /^there are several: / }].map(withReason))
  })

  it.each([
    ['../../evil', /cannot be that of a folder/],
    ['.', /cannot be that of a folder/],
    ['none', /no SKILL\.md of that name was found/],
    ['empty', /is empty/],
    ['broken', /has no end after it/],
  ])('%s is told, and no reason to stop', async (name, reason) => {
    await put('shop/.claude/skills/empty/SKILL.md', ' \n')
    await put('shop/.claude/skills/broken/SKILL.md', `# Broken\n${start}\n`)
    await put('evil/SKILL.md', '# Evil\n')
    const { skills, skipped } = await find({ fanOut: true }, [named(name)])
    expect(skills.size).toBe(0)
    expect(skipped).toEqual([withReason({ name: `skill:${name}`, reason })])
  })
})

const withReason = ({ name, reason }: { name: string; reason: RegExp }) => ({
  name,
  reason: expect.stringMatching(reason),
})
