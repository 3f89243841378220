import type { EventBody, Reservation, RunEvent } from '../core/log/event.js'
import type { Model, Role } from '../core/ports/model.js'

/** Usage of a run so far, over all its sessions. */
export interface Spending {
  /** Number of tries that were started. Each is a request to the provider. */
  readonly calls: number
  readonly replies: number
  /** Usage and cost as the providers reported them. */
  readonly input: number
  readonly output: number
  readonly cachedInput: number
  readonly cost: number
  /**
   * Amounts that count as reserved, because the usage is unknown: usage that a provider did not report, tries
   * that failed after the request was sent, and calls that were lost with their process.
   */
  readonly unknown: {
    readonly calls: number
    readonly input: number
    readonly output: number
    readonly cost: number
  }
  /** The part of the tokens above, known or not, that was used while the role's model had no price. */
  readonly unpriced: Readonly<Partial<Record<Role, { readonly input: number; readonly output: number }>>>
  readonly lost: number
  readonly failures: Readonly<Record<string, number>>
  readonly activeMs: number
}

/** Usage that counts against the caps. */
export interface Spent {
  readonly calls: number
  readonly tokens: number
  readonly cost: number
  readonly activeMs: number
}

export const nothingSpent: Spent = { calls: 0, tokens: 0, cost: 0, activeMs: 0 }

/** Usage that counts against the caps. Tokens without a price are charged at the current price. */
export function spentOf(spending: Spending, models: Partial<Record<Role, Pick<Model, 'price'>>>): Spent {
  let cost = spending.cost + spending.unknown.cost
  for (const [role, { input, output }] of Object.entries(spending.unpriced)) {
    const price = models[role as Role]?.price
    if (price !== undefined) cost += (input * price.input + output * price.output) / 1e6
  }
  return {
    calls: spending.calls,
    tokens: spending.input + spending.output + spending.unknown.input + spending.unknown.output,
    cost,
    activeMs: spending.activeMs,
  }
}

interface OpenCall {
  readonly role: Role
  readonly reserved: Reservation
}

/** Sums up a log in one pass. It keeps only the calls in flight in memory. */
export class SpendingFold {
  #calls = 0
  #replies = 0
  #input = 0
  #output = 0
  #cachedInput = 0
  #cost = 0
  #lost = 0
  readonly #unknown = { calls: 0, input: 0, output: 0, cost: 0 }
  readonly #unpriced: Partial<Record<Role, { input: number; output: number }>> = {}
  readonly #failures: Record<string, number> = {}
  readonly #open = new Map<string, OpenCall>()
  #closedSessionsMs = 0
  #sessionStart: number | undefined
  #lastAt = 0

  add(event: RunEvent): void {
    this.#addTime(event)
    const key = event.key ?? `#${event.seq}`
    switch (event.type) {
      case 'session.started':
        // Only one process writes at a time, so calls that an earlier session left open will never end.
        for (const call of this.#open.values()) this.#lose(call)
        this.#open.clear()
        return
      case 'call.started': {
        const before = this.#open.get(key)
        if (before !== undefined) this.#lose(before)
        this.#calls += 1
        this.#open.set(key, event.body)
        return
      }
      case 'call.failed': {
        const { role, kind, charged } = event.body
        this.#open.delete(key)
        this.#failures[kind] = (this.#failures[kind] ?? 0) + 1
        if (charged !== undefined) this.#chargeUnknown(role, charged)
        return
      }
      case 'call.finished':
        this.#addReply(event.body, this.#open.get(key)?.reserved)
        this.#open.delete(key)
        return
      default:
    }
  }

  /** Usage so far. With `ended`, no process works on the run, so open calls are charged as reserved. */
  total(options: { ended: boolean }): Spending {
    if (options.ended) {
      for (const call of this.#open.values()) this.#lose(call)
      this.#open.clear()
    }
    return {
      calls: this.#calls,
      replies: this.#replies,
      input: this.#input,
      output: this.#output,
      cachedInput: this.#cachedInput,
      cost: this.#cost,
      unknown: { ...this.#unknown },
      unpriced: structuredClone(this.#unpriced),
      lost: this.#lost,
      failures: { ...this.#failures },
      activeMs: this.#closedSessionsMs + this.#sessionMs(),
    }
  }

  #addTime(event: RunEvent): void {
    if (event.type === 'session.started' && this.#sessionStart !== undefined) {
      this.#closedSessionsMs += this.#sessionMs()
      this.#sessionStart = undefined
    }
    this.#sessionStart ??= event.at
    this.#lastAt = event.at
  }

  #sessionMs(): number {
    return Math.max(0, this.#lastAt - (this.#sessionStart ?? this.#lastAt))
  }

  #addReply({ role, usage, cost }: EventBody<'call.finished'>, reserved: Reservation | undefined): void {
    this.#replies += 1
    this.#input += usage.input ?? 0
    this.#output += usage.output ?? 0
    this.#cachedInput += usage.cachedInput ?? 0
    const unknownInput = usage.input === undefined ? (reserved?.input ?? 0) : 0
    const unknownOutput = usage.output === undefined ? (reserved?.output ?? 0) : 0
    this.#unknown.input += unknownInput
    this.#unknown.output += unknownOutput
    if (usage.input === undefined || usage.output === undefined) this.#unknown.calls += 1
    if (cost !== undefined) this.#cost += cost
    else if (reserved?.cost !== undefined) this.#unknown.cost += reserved.cost
    else this.#addUnpriced(role, (usage.input ?? 0) + unknownInput, (usage.output ?? 0) + unknownOutput)
  }

  #lose({ role, reserved }: OpenCall): void {
    this.#lost += 1
    this.#chargeUnknown(role, reserved)
  }

  #chargeUnknown(role: Role, { input, output, cost }: Reservation): void {
    this.#unknown.calls += 1
    this.#unknown.input += input
    this.#unknown.output += output
    if (cost === undefined) this.#addUnpriced(role, input, output)
    else this.#unknown.cost += cost
  }

  #addUnpriced(role: Role, input: number, output: number): void {
    const sum = this.#unpriced[role] ?? { input: 0, output: 0 }
    this.#unpriced[role] = { input: sum.input + input, output: sum.output + output }
  }
}

/** Usage of earlier sessions; the initial state of the next session's budget. */
export async function spendingOf(events: AsyncIterable<RunEvent> | Iterable<RunEvent>): Promise<Spending> {
  const fold = new SpendingFold()
  for await (const event of events) fold.add(event)
  return fold.total({ ended: true })
}
