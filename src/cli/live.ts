import { createLogUpdate } from 'log-update'
import type { RunEvent } from '../core/event.js'
import { createView, foldEvent, type RunView } from '../core/state.js'
import type { Io } from './io.js'
import type { ReadyInfo } from './library.js'
import { plainLines } from './plain.js'
import { renderFrame } from './progress.js'
import { fit } from './text.js'

/** Shows a run while it runs. Every way of showing is a reader of the same events. */
export interface Display {
  ready(info: ReadyInfo): void
  event(event: RunEvent): void
  /** A word to the person in front of the screen, such as what Ctrl-C did. */
  note(text: string): void
  close(): void
}

export type DisplayKind = 'live' | 'plain' | 'json' | 'quiet'

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
  let view: RunView = createView()
  let name: string | undefined
  let remark = ''
  let timer: NodeJS.Timeout | undefined

  const draw = () => {
    // One column is left free: some terminals wrap when the last one is used.
    const width = (io.stdout.columns ?? 80) - 1
    const height = (io.stdout.rows ?? 24) - 2
    const frame = renderFrame(view, {
      width,
      height,
      now: Date.now(),
      colors: io.colors,
      ...(name ? { name } : {}),
    })
    screen(remark === '' ? frame : `${frame}\n${io.colors.yellow(fit(remark, width))}`)
  }
  return {
    ready(info) {
      sayReady(io, info)
      view = info.view
      name = info.name
      timer = setInterval(draw, frameMs)
    },
    event(event) {
      view = foldEvent(view, event)
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
  let view: RunView = createView()
  return {
    ready(info) {
      sayReady(io, info)
      view = info.view
    },
    event(event) {
      view = foldEvent(view, event)
      for (const line of plainLines(view, event, io.colors)) io.stdout.write(`${line}\n`)
    },
    note: text => void io.stderr.write(`${text}\n`),
    close: () => undefined,
  }
}

/** Events on stdout, one JSON per line, and nothing else there. */
function jsonDisplay(io: Io): Display {
  return {
    ready(info) {
      for (const warning of info.warnings) io.stderr.write(`warning: ${warning}\n`)
    },
    event: event => void io.stdout.write(`${JSON.stringify(event)}\n`),
    note: text => void io.stderr.write(`${text}\n`),
    close: () => undefined,
  }
}

function quietDisplay(io: Io): Display {
  return { ...jsonDisplay(io), event: () => undefined }
}

function sayReady(io: Io, { warnings, mapped, resumed, directory }: ReadyInfo): void {
  const { colors } = io
  for (const line of mapped) io.stdout.write(`${colors.dim(line)}\n`)
  for (const warning of warnings) io.stderr.write(`${colors.yellow('warning:')} ${warning}\n`)
  io.stdout.write(`${resumed ? 'going on in' : 'writing to'} ${directory}\n\n`)
}
