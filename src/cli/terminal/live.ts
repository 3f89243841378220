import { createLogUpdate } from 'log-update'
import type { TrainInfo } from '../../app/index.js'
import { InputError, messageOf } from '../../core/errors/errors.js'
import type { RunEvent } from '../../core/log/event.js'
import { viewRun } from '../../store/run-directories.js'
import { plainLines } from '../output/plain.js'
import { renderFrame } from '../output/progress.js'
import { fit, shownPath } from '../output/text.js'
import { ViewTracker } from '../output/view-tracker.js'
import { type Io, sayMapped, sayWarnings } from './io.js'

/** Shows a run in progress. All displays receive the same events. */
export interface Display {
  ready(info: TrainInfo): void
  event(event: RunEvent): void
  /** Shows a message to the user, such as the effect of Ctrl-C. */
  note(text: string): void
  close(): void
}

export function createDisplay(
  io: Io,
  options: { json?: boolean | undefined; quiet?: boolean | undefined },
): Display {
  if (options.json === true) return jsonDisplay(io)
  if (options.quiet === true) return quietDisplay(io)
  return io.stdout.isTTY === true && io.env.TERM !== 'dumb' ? liveDisplay(io) : plainDisplay(io)
}

const frameMs = 100

function liveDisplay(io: Io): Display {
  const screen = createLogUpdate(io.stdout as NodeJS.WriteStream)
  const tracker = new ViewTracker()
  let remark = ''
  let timer: NodeJS.Timeout | undefined
  let lines = 0

  const draw = () => {
    // Leaves one column free, because some terminals wrap when the last one is used.
    const width = (io.stdout.columns ?? 80) - 1
    const height = (io.stdout.rows ?? 24) - 2
    const frame = renderFrame(tracker.view, { width, height, now: Date.now(), colors: io.colors })
    const text = remark === '' ? frame : `${frame}\n${io.colors.yellow(fit(remark, width))}`
    // The screen is cleared, because the library's line-by-line update leaves old lines when their number
    // changes.
    const count = text.split('\n').length
    if (count !== lines) screen.clear()
    lines = count
    screen(text)
  }
  return {
    ready(info) {
      sayReady(io, info)
      loadPast(tracker, info, text => io.stderr.write(`${text}\n`))
    },
    event(event) {
      tracker.add(event)
      // Drawing starts with the first event, because a prompt may be on the screen before.
      timer ??= setInterval(draw, frameMs)
    },
    note(text) {
      remark = text
      if (timer) draw()
      else io.stderr.write(`${text}\n`)
    },
    close() {
      if (!timer) return
      clearInterval(timer)
      timer = undefined
      draw()
      screen.done()
    },
  }
}

function plainDisplay(io: Io): Display {
  const tracker = new ViewTracker()
  return {
    ready(info) {
      sayReady(io, info)
      loadPast(tracker, info, text => io.stderr.write(`${text}\n`))
    },
    event(event) {
      tracker.add(event)
      for (const line of plainLines(tracker.view, event, io.colors)) io.stdout.write(`${line}\n`)
    },
    note: text => void io.stderr.write(`${text}\n`),
    close: () => undefined,
  }
}

/** Writes events to stdout, one JSON object per line, and nothing else. */
function jsonDisplay(io: Io): Display {
  return {
    ready: info => sayWarnings(io, info.warnings),
    event: event => void io.stdout.write(`${JSON.stringify(event)}\n`),
    note: text => void io.stderr.write(`${text}\n`),
    close: () => undefined,
  }
}

function quietDisplay(io: Io): Display {
  return { ...jsonDisplay(io), event: () => undefined }
}

function sayReady(io: Io, { warnings, mapped, resumed, directory }: TrainInfo): void {
  sayMapped(io, mapped)
  sayWarnings(io, warnings)
  io.stdout.write(`${resumed ? 'resuming in' : 'run directory'} ${shownPath(directory, io.cwd)}\n\n`)
}

/**
 * Reads earlier events for the display. Input errors are ignored, because the run reads the same log and
 * reports them.
 */
function loadPast(
  tracker: ViewTracker,
  { resumed, directory }: TrainInfo,
  say: (text: string) => void,
): void {
  if (!resumed) return
  tracker.load(viewRun(directory)).catch((error: unknown) => {
    if (!(error instanceof InputError)) say(`The display starts without earlier events: ${messageOf(error)}`)
  })
}
