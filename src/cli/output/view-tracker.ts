import type { RunEvent } from '../../core/log/event.js'
import { createView, foldEvent, type RunView } from '../../core/view/fold.js'

/** View of a run in progress: its log so far plus each new event. */
export class ViewTracker {
  view: RunView = createView()
  #waiting: RunEvent[] | undefined

  /** Loads past events from the log. Events that arrive meanwhile are queued, and none is counted twice. */
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
