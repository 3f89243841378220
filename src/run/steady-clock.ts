/**
 * The time of day, read once; from then on elapsed time is added. A time cap is computed from the times of
 * events, and a clock that is set during a session must neither use up the cap nor extend it.
 */
export function steadyClock(): () => number {
  const offset = Date.now() - performance.now()
  return () => Math.round(offset + performance.now())
}
