/** A place in a text that is not to be seen. */
export interface Span {
  /** Undefined for what was looked at and may be seen: nothing more is asked of the rule within it. */
  readonly kind: string | undefined
  readonly start: number
  /** The first place after it. */
  readonly end: number
  /** Where spans overlap, the surest names the kind. A vendor's key is surer than a variable's name. */
  readonly certainty: number
}

/**
 * How one family of secrets is found. It is asked at the anchors only, and may look a bounded way around them, so that
 * no text can make it slow: all that is open-ended in a pattern of ours stands at its end.
 */
export interface Rule {
  readonly anchors: readonly string[]
  /** Several spans where one anchor stands for many values, such as a table's heading for its column. */
  find(text: string, at: number): Span | readonly Span[] | undefined
}

/** A keyword as it is written in `snake_case`, `camelCase` and `UPPER_CASE`. */
export function spellings(word: string): string[] {
  return [word, `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`, word.toUpperCase()]
}

/** What stands in place of a secret, and what another program may have put there before. */
export const marker = /\[redacted(?:: [\w -]{1,60})?\]/y

export const markerAnchor = '[redacted'

export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  if (at < 0) return undefined
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

/** The most that one match takes: what an engine keeps for going back grows with it, and is limited. */
export const longestMatch = 4096

/** Where a run of characters ends that a pattern takes a part of at a time. */
export function runEnd(part: RegExp, text: string, at: number): number {
  let end = at
  for (let match = matchAt(part, text, end); match !== undefined; match = matchAt(part, text, end)) {
    end += match[0].length
  }
  return end
}
