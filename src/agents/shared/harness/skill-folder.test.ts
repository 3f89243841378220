import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { InputError } from '../../../core/errors/errors.js'
import { checkAgentSkill } from '../../../core/skill/agent-skill.js'
import { skillForAgent, writeSkillFolder } from './skill-folder.js'

const body = '# Parcel desk\n\nAnswer letters about parcels.\n\n- Be brief.\n'

it('writes a skill that has no frontmatter as an Agent Skill, its body unchanged', async () => {
  const root = await mkdtemp(join(tmpdir(), 'skillopt-skill-'))
  const skill = skillForAgent(body)
  if (skill === undefined) throw new Error('there is no skill')
  const folder = await writeSkillFolder(join(root, '.agents', 'skills'), skill)
  expect(folder).toBe(join(root, '.agents', 'skills', 'parcel-desk'))
  expect(await readdir(folder)).toEqual(['SKILL.md'])
  const text = await readFile(join(folder, 'SKILL.md'), 'utf8')
  expect(text).toBe(`---\nname: parcel-desk\ndescription: Answer letters about parcels.\n---\n\n${body}`)
  expect(checkAgentSkill(text, basename(folder))).toEqual([])
  await rm(root, { recursive: true })
})

it('leaves an existing frontmatter unchanged', () => {
  const text = `---\nname: desk\ndescription: Letters.\nlicense: MIT\n---\n${body}`
  expect(skillForAgent(text)).toMatchObject({ name: 'desk', text, added: {} })
})

it.each(['', ' \n'])('treats %j as no skill', text => {
  expect(skillForAgent(text)).toBeUndefined()
})

it.each([
  ['---\nname: [\n---\nBody\n', /frontmatter cannot be read \(line \d\)/],
  ['---\nname: ../../etc\ndescription: x\n---\nBody\n', /the name "\.\.\/\.\.\/etc" holds something else/],
  [`---\nname: a\ndescription: ${'x'.repeat(1025)}\n---\nBody\n`, /1025 characters; 1024 are allowed/],
])('refuses one that no agent would read', (text, problem) => {
  expect(() => skillForAgent(text)).toThrow(InputError)
  expect(() => skillForAgent(text)).toThrow(problem)
})
