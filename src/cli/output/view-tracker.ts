import type { RunEvent } from '../../core/log/event.js'
import { createView, foldEvent, type RunView } from '../../core/view/fold.js'

/** The view of a run that is being worked on: what its log says already, and each event from now on. */
export class ViewTracker {
  view: RunView = createView()
  #waiting: RunEvent[] | undefined

  /** Takes the past from the log; events that arrive meanwhile wait, and none is counted twice. */
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
