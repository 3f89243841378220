import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ChatReply, ChatRequest } from '../../src/simulated/chat.js'
import { makeCanaries } from '../support/canaries.js'
import type { ToolUse } from './kit.js'
import { plays } from './model.js'
import { type Actor, openStage, plant, type Stage } from './stage.js'
import { terminals } from './terminals.js'

/**
 * A person works with an agent: they ask something and correct it in a second turn, have it read and write files, and
 * work in two other folders besides, one of which is named like those of our attempts.
 */
export interface Evening {
  readonly stage: Stage
  readonly project: string
  readonly elsewhere: string
  readonly ofAttempt: string
  readonly env: Readonly<Record<string, string>>
  /** Before the first and after the last start, in milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

function secretOf(kind: string): string {
  const canary = makeCanaries().find(each => each.kind === kind)
  if (canary === undefined) throw new Error(`There is no canary of the kind ${kind}.`)
  return canary.secret
}

/** One is in what the person asks, one in what a tool reads. */
export const secrets = { asked: secretOf('github token'), read: secretOf('shippo token') }

export const orders = `pears 20\nplums 22\nregistry ${secrets.read}\n`
export const sum = 'It comes to 42 crates.'
export const beforeCall = 'I will do that.'

export const asked = {
  fees: 'List the harbour fees of a boat that is nine metres long, one per line.',
  euros: 'No, I asked for the fees in euros.',
  orders: `Add up the crates in orders.txt and write the sum to total.txt. The till takes ${secrets.asked} if it asks.`,
  elsewhere: 'Write down which boats stay in the harbour this evening.',
  ofAttempt: 'Count the lanterns along the pier.',
  ofOurs: 'Note in order.txt that two pears are wanted.',
}

export const answered = {
  fees: 'Mooring 12\nWater 3',
  euros: 'Mooring 12 EUR\nWater 3 EUR',
  orders: 'The sum is in total.txt.',
  elsewhere: 'The Heron and the Gull.',
  ofAttempt: 'Nine lanterns.',
  ofOurs: 'It is noted.',
}

export type Turn = keyof typeof asked

/** Ends when `atEnd` is called. */
export async function spendEvening(
  { kit, program }: Actor,
  atEnd: (clean: () => Promise<void>) => void,
): Promise<Evening> {
  const terminal = terminals[kit.agent.id]
  if (terminal === undefined) throw new Error(`Nobody has said how a person starts ${kit.agent.title}.`)
  const calls: Partial<Record<Turn, readonly ToolUse[]>> = {
    ofOurs: [kit.writes('order.txt', 'two pears')],
  }
  const context = { onTestFinished: (clean: () => unknown) => atEnd(async () => void (await clean())) }
  const stage = await openStage(context, { kit, program }, { respond: speaks(calls) })
  const { home, server } = stage
  const [project, elsewhere] = [await stage.folder('project'), await stage.folder('elsewhere')]
  const ofAttempt = await stage.folder('project/skillopt-agent-1-2-00000000-abcdef')
  calls.orders = [terminal.reads(join(project, 'orders.txt')), kit.writes(join(project, 'total.txt'), sum)]
  await writeFile(join(project, 'orders.txt'), orders)
  const person = { home, model: kit.model, endpoint: kit.endpoint(server.url) }
  await plant(terminal.files(person))
  const env = {
    ...{ PATH: process.env.PATH ?? '', HOME: home, TMPDIR: await stage.folder('tmp') },
    ...{ ...kit.env, ...terminal.env(person) },
  }
  const says = (turn: Turn, cwd: string, goesOn = false) =>
    run(program, terminal.command(asked[turn], goesOn, kit.model), { cwd, env })
  const from = Date.now()
  await says('fees', project)
  await says('euros', project, true)
  await says('orders', project)
  await says('elsewhere', elsewhere)
  await says('ofAttempt', ofAttempt)
  return { stage, project, elsewhere, ofAttempt, env, from, to: Date.now() }
}

/** By what the person said last. Agents ask for other things in between, such as a title, which may show all of it. */
function speaks(calls: Partial<Record<Turn, readonly ToolUse[]>>) {
  return (request: ChatRequest): ChatReply => {
    const words = JSON.stringify(request.messages)
    const turns = Object.keys(asked) as Turn[]
    const turn = turns.findLast(each => words.includes(asked[each]))
    if (turn === undefined) return { content: 'At the harbour' }
    return plays(calls[turn] ?? [], answered[turn])(request)
  }
}

const longestMs = 120_000

/** With nothing on its standard input, which some would wait for. */
async function run(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<void> {
  const running = promisify(execFile)(program, args, { cwd, env, timeout: longestMs, killSignal: 'SIGKILL' })
  running.child.stdin?.end()
  await running
}
