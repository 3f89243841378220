import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { ChatReply, ChatRequest } from '../../src/simulated/chat.js'
import { makeCanaries } from '../support/canaries.js'
import type { ToolUse } from './kit.js'
import { plays } from './model.js'
import { type Actor, type Ending, openStage, plant, type Stage } from './stage.js'
import { type Person, type Terminal, terminals } from './terminals.js'

type Variables = Readonly<Record<string, string>>

/**
 * A person works with an agent: they ask something and correct it in a second turn, have it read and write
 * files, and work in two other folders as well, one of which is named like those of our attempts. Once they
 * also have the agent write its sessions outside their home.
 */
export interface Evening {
  readonly stage: Stage
  readonly project: string
  readonly elsewhere: string
  readonly env: Variables
  /** The same variables, with the agent's own variable set so that it writes elsewhere. */
  readonly moved: Variables
  /** Time before the first start and after the last, in milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

function secretOf(kind: string): string {
  const canary = makeCanaries().find(each => each.kind === kind)
  if (canary === undefined) throw new Error(`There is no canary of the kind ${kind}.`)
  return canary.secret
}

/** One is in the person's request, one in a file that a tool reads. */
export const secrets = { asked: secretOf('github token'), read: secretOf('shippo token') }

const orders = `pears 20\nplums 22\nregistry ${secrets.read}\n`
export const sum = 'It comes to 42 crates.'
export const beforeCall = 'I will do that.'

export const asked = {
  fees: 'List the harbour fees of a boat that is nine metres long, one per line.',
  euros: 'No, I asked for the fees in euros.',
  orders: `Add up the crates in orders.txt and write the sum to total.txt. The till takes ${secrets.asked} if it asks.`,
  elsewhere: 'Write down which boats stay in the harbour this evening.',
  likeOurs: 'Count the lanterns along the pier.',
  moved: 'Say which of the boats has the tallest mast.',
  ofOurs: 'Note in order.txt that two pears are wanted.',
}

export const answered = {
  fees: 'Mooring 12\nWater 3',
  euros: 'Mooring 12 EUR\nWater 3 EUR',
  orders: 'The sum is in total.txt.',
  elsewhere: 'The Heron and the Gull.',
  likeOurs: 'Nine lanterns.',
  moved: 'The Heron has it.',
  ofOurs: 'It is noted.',
}

type Turn = keyof typeof asked

/** Cleaned up by `ending`. */
export async function spendEvening({ kit, program }: Actor, ending: Ending): Promise<Evening> {
  const terminal = terminals[kit.agent.id]
  if (terminal === undefined) throw new Error(`Nobody has said how a person starts ${kit.agent.title}.`)
  const calls: Partial<Record<Turn, readonly ToolUse[]>> = {
    ofOurs: [kit.writes('order.txt', 'two pears')],
  }
  const stage = await openStage(ending, { kit, program }, { respond: speaks(calls) })
  const { home, server } = stage
  const [project, elsewhere] = [await stage.folder('project'), await stage.folder('elsewhere')]
  const likeOurs = await stage.folder('project/skillopt-agent-1-2-00000000-abcdef')
  calls.orders = [terminal.reads(join(project, 'orders.txt')), kit.writes(join(project, 'total.txt'), sum)]
  await writeFile(join(project, 'orders.txt'), orders)
  const person = { home, model: kit.model, endpoint: kit.endpoint(server.url) }
  await plant(terminal.files(person))
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TMPDIR: await stage.folder('tmp'),
    ...kit.env,
    ...terminal.env(person),
  }
  const moved = { ...env, [terminal.variable]: await moveInto(await stage.folder('moved'), terminal, person) }
  const says = (
    turn: Turn,
    cwd: string,
    options: { readonly goesOn?: true; readonly env?: Variables } = {},
  ) =>
    run(program, terminal.command(asked[turn], options.goesOn ?? false, kit.model), { cwd, env, ...options })
  if (terminal.keepsWithinAMinute === true) await earlyInAMinute()
  const from = Date.now()
  await says('fees', project)
  await says('euros', project, { goesOn: true })
  await says('orders', project)
  await says('elsewhere', elsewhere)
  await says('likeOurs', likeOurs)
  await says('moved', elsewhere, { env: moved })
  return { stage, project, elsewhere, env, moved, from, to: Date.now() }
}

/** Copies the person's set-up to where the agent's variable points. Returns the folder. */
async function moveInto(folder: string, { files, standsFor }: Terminal, person: Person): Promise<string> {
  const usual = join(person.home, standsFor)
  const placed = files(person).map(({ path, content }) => ({ path: path.replace(usual, folder), content }))
  await plant(placed)
  return folder
}

/**
 * Replies by the person's last message. Agents make other requests in between, such as for a title, which
 * may include the whole conversation.
 */
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

/** Runs with an empty standard input, which some agents would wait for. */
async function run(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Variables },
): Promise<void> {
  const running = promisify(execFile)(program, args, { cwd, env, timeout: longestMs, killSignal: 'SIGKILL' })
  running.child.stdin?.end()
  await running
}

/** Returns at once in the first seconds of a minute; otherwise waits for the next minute. */
async function earlyInAMinute(): Promise<void> {
  const minute = 60_000
  const elapsed = Date.now() % minute
  if (elapsed > minute / 4) await setTimeout(minute - elapsed)
}
