import type { RunEvent } from '../../core/log/event.js'
import { createView, foldEvent, type RunView } from '../../core/view/fold.js'

/** View of a run in progress, computed from its log and updated by each new event. */
export class ViewTracker {
  view: RunView = createView()
  #waiting: RunEvent[] | undefined

  /** Reads the log. Events that arrive meanwhile are queued, and no event is counted twice. */
  async load(past: Promise<RunView>): Promise<void> {
    this.#waiting = []
    try {
      this.view = await past
    } finally {
      const waiting = this.#waiting
      this.#waiting = undefined
      for (const event of waiting) this.add(event)
    }
  }

  add(event: RunEvent): void {
    if (this.#waiting) this.#waiting.push(event)
    else if (event.seq >= this.view.events) this.view = foldEvent(this.view, event)
  }
}
