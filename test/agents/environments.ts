import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, type TestContext } from 'vitest'
import { parse, stringify } from 'yaml'
import type { Capability } from '../../src/core/ports/environment.js'
import { type LoopbackServer, startLoopbackServer } from '../../src/testing/index.js'
import { skillopt, temporaryFolder } from '../end-to-end/support.js'
import type { ToolUse } from './kit.js'
import { completed, offeredTools, plays } from './model.js'
import { type Actor, lastResults, sentTo } from './stage.js'

/**
 * One attempt in each kind of environment, from the command line. The model makes the winning moves or gives
 * the right answer, so the attempt scores 1 with any agent. An agent that lacks a capability is refused.
 */

interface Scene {
  /** Name of the example. */
  readonly name: string
  readonly needs: readonly Capability[]
  /** Environment options in addition to the example's. */
  readonly options?: object
  readonly runsPrograms?: boolean
  readonly task: string
  /** Calls of the session's tools. */
  readonly calls?: readonly { readonly tool: string; readonly given: Readonly<Record<string, unknown>> }[]
  readonly answer: string
  expect?(server: LoopbackServer): Promise<void>
}

const examples = fileURLToPath(new URL('../../examples', import.meta.url))

const reply = (message: string) => ({ tool: 'reply', given: { message } })

/** Counts the rows whose second column has the requested value, wherever the workbook is. */
const program = (from: string, to: string) => `import openpyxl
book = openpyxl.load_workbook(${from})
sheet = book["Data"]
names = [cell.value for cell in sheet[1]]
column = names.index("Request")
rows = sheet.iter_rows(min_row=2, values_only=True)
sheet["D2"] = sum(1 for row in rows if row[column] == "open")
book.save(${to})
`

const scenes: readonly Scene[] = [
  { name: 'searchqa', needs: ['chat'], task: 'test-02', answer: 'It is <answer>Tolmen</answer>' },
  {
    name: 'docvqa',
    needs: ['chat', 'images'],
    task: 'rowing-2',
    answer: 'The form says <answer>04/11/1969</answer>',
    expect: async server => {
      const picture = await readFile(join(examples, 'docvqa', 'documents', 'rowing-form.png'), 'base64')
      expect(sentTo(server)).toContain(picture)
    },
  },
  {
    name: 'officeqa',
    needs: ['chat', 'tools'],
    task: 'MB029',
    calls: [{ tool: 'grep', given: { pattern: 'Forest royalties' } }],
    answer: 'By the table, <answer>15.7</answer>',
    expect: async server => expect(lastResults(server)).toContain('Forest royalties'),
  },
  {
    name: 'spreadsheetbench',
    needs: ['chat', 'tools'],
    options: { mode: 'react' },
    runsPrograms: true,
    task: 'made-up-28',
    calls: [
      { tool: 'write_file', given: { path: 'solve.py', content: program('"input.xlsx"', '"output.xlsx"') } },
      { tool: 'bash', given: { command: 'python3 solve.py' } },
    ],
    answer: 'It is saved.',
    // The tools work in their own folder and would not see files written elsewhere.
    expect: async server => expect(lastResults(server)).toContain('said nothing'),
  },
  {
    name: 'spreadsheetbench',
    needs: ['chat', 'turns'],
    options: { mode: 'multi' },
    runsPrograms: true,
    task: 'made-up-28',
    calls: [reply(`\`\`\`python\n${program('INPUT_PATH', 'OUTPUT_PATH')}\`\`\``)],
    answer: 'The program is given.',
  },
  {
    name: 'alfworld',
    needs: ['chat', 'turns'],
    task: 'test:0018',
    calls: [
      reply('<think>I look for it.</think><action>go to shelf 2</action>'),
      reply('I wait.'),
      reply('<action>take mug 1 from shelf 2</action>'),
      reply('<action>go to desk 1</action>'),
      reply('<action>move mug 1 to desk 1</action>'),
    ],
    answer: 'The mug is on the desk. <action>take mug 1 from desk 1</action>',
    expect: async server => expect(lastResults(server)).toContain('is over'),
  },
]

export function environmentSuite(actor: Actor, canRunPrograms: boolean): void {
  const { supports } = actor.kit.agent

  describe('one attempt at', () => {
    for (const scene of scenes) {
      const lacks = scene.needs.filter(need => !supports.includes(need))
      const what = [scene.name, ...Object.values(scene.options ?? {})].join(', ')
      if (lacks.length > 0) {
        it(`${what} is refused, for want of ${lacks.join(', ')}, before anything is spent`, async context => {
          const { code, stderr, server } = await attempt(context, actor, scene)
          expect(code).toBe(2)
          expect(stderr).toContain(`needs ${lacks.join(', ')}`)
          expect(server.counters.requests).toBe(0)
        })
        continue
      }
      it.runIf(scene.runsPrograms !== true || canRunPrograms)(
        `${what} scores what its moves deserve`,
        async context => {
          const { code, stdout, stderr, server } = await attempt(context, actor, scene)
          expect(code, stdout + stderr).toBe(0)
          expect(JSON.parse(stdout).outcome).toMatchObject({
            status: 'scored',
            score: { hard: 1 },
            stop: 'answered',
          })
          await scene.expect?.(server)
          // No scene has files for the agent's own tools, so those are not offered.
          const offered = server.log.flatMap(({ body }) => (body === null ? [] : offeredTools(body)))
          expect(offered).not.toContain(actor.kit.writes('a', 'b').name)
        },
      )
    }
  })
}

async function attempt(context: TestContext, { kit, program }: Actor, scene: Scene) {
  const folder = await temporaryFolder()
  const calls = (scene.calls ?? []).flatMap(({ tool, given }): ToolUse[] => {
    const use = kit.uses('task', tool, given)
    return use === undefined ? [] : [use]
  })
  const respond = completed(kit, plays(calls, scene.answer))
  const server = await startLoopbackServer({ respond, keepLog: true })
  context.onTestFinished(() => server.close())
  await cp(join(examples, scene.name), folder, { recursive: true })
  const path = join(folder, 'skillopt.yaml')
  const { environment, ...config } = parse(await readFile(path, 'utf8'))
  const target = { model: `${kit.agent.id}/${kit.model}`, endpoint: kit.endpoint(server.url), retries: 0 }
  const models = { target, optimizer: 'simulated/optimizer' }
  await writeFile(path, stringify({ ...config, environment: { ...environment, ...scene.options }, models }))
  const home = join(folder, 'home-of-the-user')
  await mkdir(home)
  const env = { PATH: [dirname(program), process.env.PATH].join(delimiter), HOME: home, ...kit.env }
  const tried = await skillopt(['try', '.', '--trust', '--task', scene.task, '--json'], { cwd: folder, env })
  return { ...tried, server }
}
