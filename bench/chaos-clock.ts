/**
 * Preloaded into a process: makes its clock jump at random by up to two days in either direction, many times
 * a second. The machine's clock is not changed.
 */
const hour = 3_600_000
const real = Date.now.bind(Date)
let offset = 0
setInterval(() => {
  offset = (Math.random() - 0.5) * 96 * hour
}, 20).unref()

class JumpingDate extends Date {
  constructor(...given: [] | [string | number | Date]) {
    if (given.length === 0) super(real() + offset)
    else super(...given)
  }

  static override now(): number {
    return real() + offset
  }
}
globalThis.Date = JumpingDate as DateConstructor
