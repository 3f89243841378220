import type { EventBody, RunEvent } from '../src/core/log/event.js'
import type { Role } from '../src/core/ports/model.js'
import { readMessage } from '../src/core/task/messages.js'
import type { BlobRef, StoredMessage } from '../src/core/task/task.js'
import { parseJson } from '../src/core/text/json-reply.js'
import { readRun } from '../src/store/read-run.js'

/** A call of a finished run, with the calls whose replies it depends on. */
export interface Call {
  readonly role: Role
  readonly ms: number
  /** Start and end, in milliseconds since the run began. */
  readonly started: number
  readonly ended: number
  /** Indices into the list of calls. */
  readonly needs: readonly number[]
}

export interface CallGraph {
  readonly calls: readonly Call[]
  readonly wallMs: number
}

interface ReadCall extends Omit<Call, 'needs'> {
  readonly body: EventBody<'call.finished'>
  readonly prompts: readonly string[]
  readonly reply: string
}

/**
 * A call depends on a reply only if its prompt contains the reply's text: not on a gate's verdict, the
 * ranking or the end of a stage. For target replies that means the whole reply in an analyst's prompt. For
 * optimizer replies it means each line written into an edit, guidance, a notebook or a failure pattern that
 * appears in the prompt; if several replies contain the same line, only the first counts. These are the
 * weakest dependencies that the text supports, so the resulting schedule is the shortest possible.
 */
export async function readCallGraph(directory: string): Promise<CallGraph> {
  const reader = await readRun(directory)
  let wallMs = 0
  let began = 0
  let seedSkill = ''
  const events: RunEvent[] = []
  for await (const event of reader.events()) {
    events.push(event)
    const { type, at, body } = event
    if (type === 'run.started') {
      seedSkill = await reader.get(body.seedSkill)
      began = at
    }
    if (type === 'run.finished') wallMs = at - began
  }
  return { wallMs, calls: await callsIn(events, { get: reader.get, seedSkill, began }) }
}

interface CallsOptions {
  readonly get: (ref: BlobRef) => Promise<string>
  readonly seedSkill: string
  /** The time of the first event. */
  readonly began: number
}

/** All calls in a list of events, with the calls that each depends on. */
export async function callsIn(
  events: readonly RunEvent[],
  { get, seedSkill, began }: CallsOptions,
): Promise<readonly Call[]> {
  const starts = new Map<string, number>()
  const calls: ReadCall[] = []
  for (const { type, key = '', at, body } of events) {
    if (type === 'call.started') starts.set(key, at - began)
    if (type !== 'call.finished') continue
    const [reply, ...prompts] = await Promise.all(
      [body.reply, ...body.messages].map(message => readMessage(message as StoredMessage, get)),
    )
    calls.push({
      role: body.role,
      ms: body.ms,
      started: starts.get(key) ?? 0,
      ended: at - began,
      body,
      prompts: prompts.map(prompt => prompt.text),
      reply: reply?.text ?? '',
    })
  }
  const lines = firstToSay(calls, seedSkill)
  const needsOfPrompt = new Map<string, readonly number[]>()
  return calls.map(call => {
    const { role, ms, started, ended } = call
    const needs = new Set<number>()
    for (const prompt of call.prompts) {
      const known = needsOfPrompt.get(prompt) ?? linesIn(prompt, lines)
      needsOfPrompt.set(prompt, known)
      // Many calls use the same skill; a match with a reply that ended after this call began is a
      // coincidence.
      for (const index of known) if ((calls[index]?.ended ?? 0) <= started) needs.add(index)
    }
    for (const index of shownReplies(call, calls)) needs.add(index)
    return { role, ms, started, ended, needs: [...needs] }
  })
}

const shortestLine = 12

/** Maps every line that the optimizer wrote to the first call that wrote it. */
function firstToSay(calls: readonly ReadCall[], seedSkill: string): Map<string, number> {
  const first = new Map<string, number>()
  calls.forEach(({ role, reply }, index) => {
    if (role !== 'optimizer') return
    const parsed = parseJson(reply)
    for (const text of parsed.ok ? textsIn(parsed.value) : []) {
      for (const line of text.split('\n').map(one => one.trim())) {
        if (line.length >= shortestLine && !first.has(line) && !seedSkill.includes(line))
          first.set(line, index)
      }
    }
  })
  return first
}

/** Reply fields that appear in later prompts; reasons and anchors do not. */
const shownFields = new Set(['content', 'slow_update_content', 'meta_skill_content', 'description'])

function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'string' ? (shownFields.has(name) ? [inner] : []) : textsIn(inner),
  )
}

/** Matches lines verbatim, or JSON-escaped as in a list of edits. */
function linesIn(prompt: string, lines: ReadonlyMap<string, number>): number[] {
  const found = new Set<number>()
  for (const [line, index] of lines) {
    if (found.has(index)) continue
    if (prompt.includes(line) || prompt.includes(JSON.stringify(line).slice(1, -1))) found.add(index)
  }
  return [...found]
}

/** Target replies in an optimizer's prompt: from this step's rollout or this epoch's comparison. */
function shownReplies(call: ReadCall, calls: readonly ReadCall[]): number[] {
  if (call.role !== 'optimizer') return []
  const { stage, epoch, step } = call.body
  const isShown = ({ role, body, reply, ended }: ReadCall) =>
    role === 'target' &&
    ended <= call.started &&
    (stage === 'reflect'
      ? body.stage === 'rollout' && body.step === step
      : body.stage === 'slow-update' && body.epoch === epoch) &&
    call.prompts.some(prompt => prompt.includes(reply))
  const toItself = (other: ReadCall) => other.role === 'optimizer' && call.prompts.includes(other.reply)
  return calls.flatMap((other, index) => (isShown(other) || toItself(other) ? [index] : []))
}
