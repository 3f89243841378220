import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { put, skillopt, temporaryFolder, textOf } from './support.js'

/** What a newcomer has: a skill, a table, no key. */

const example = (name: string) =>
  readFile(fileURLToPath(new URL(`../../examples/quickstart/${name}`, import.meta.url)), 'utf8')

async function questions(count: number): Promise<string> {
  const lines = (await example('tasks/train.jsonl')).trim().split('\n').slice(0, count)
  const rows = lines.map(line => {
    const { type, question, answer } = JSON.parse(line) as Record<string, string>
    return `${type},"${question}",${answer}`
  })
  return `kind,query,expected\n${rows.join('\n')}\n`
}

it('goes from a skill and a table to a trained skill', { timeout: 120_000 }, async () => {
  const cwd = await temporaryFolder()
  const skill = (await example('SKILL.md')).replaceAll('\n', '\r\n')
  await put(cwd, 'desk/SKILL.md', skill)
  await put(cwd, 'questions.csv', await questions(60))
  const run = async (...argv: string[]) => {
    const { code, stdout, stderr } = await skillopt(argv, { cwd })
    expect(code, `${argv.join(' ')}\n${stdout}\n${stderr}`).toBe(0)
    return stdout
  }

  expect(await run('tasks', 'check', 'questions.csv')).toContain('60 tasks')
  const made = await run('init', 'project', '--from', 'desk', '--tasks', 'questions.csv', '--yes')
  expect(made).toContain('60 tasks: 30 train, 15 validation, 15 test')
  expect(await textOf(join(cwd, 'project'), 'SKILL.md')).toBe(skill)
  expect(await run('tasks', 'check', 'project')).toContain('30 train, 15 validation, 15 test')
  expect(await run('doctor', 'project')).not.toMatch(/^fail/m)
  const task = /skillopt try project --task (\S+)/.exec(made)?.[1] ?? ''
  expect(await run('try', 'project', '--task', task)).toContain('<answer>')
  expect(await run('train', 'project', '--set', 'train.epochs=2')).toContain('simulated')
  expect(await textOf(join(cwd, 'runs', 'project-001'), 'best_skill.md')).toContain('# Parcel desk')
  expect(await textOf(join(cwd, 'project'), 'SKILL.md')).toBe(skill)
})
