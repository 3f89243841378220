/** A range of text to hide. */
export interface Span {
  /** Undefined if the examined range may stay visible. The rule is then not called again within it. */
  readonly kind: string | undefined
  readonly start: number
  /** Exclusive end. */
  readonly end: number
  /**
   * Where spans overlap, the highest certainty determines the kind. A vendor's key is more certain than a
   * variable's name.
   */
  readonly certainty: number
}

/**
 * Finds one family of secrets. A rule is called only at its anchors and looks a bounded distance around
 * them, so that no text can make it slow: every unbounded repetition in our patterns is at the end.
 */
export interface Rule {
  readonly anchors: readonly string[]
  /** Finds the spans at an anchor. There may be several, such as the cells below a column heading. */
  find(text: string, at: number): Span | readonly Span[] | undefined
}

/** A keyword in lower case, capitalized and in upper case, as it occurs in names. */
export function spellings(word: string): string[] {
  return [word, `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`, word.toUpperCase()]
}

/** Matches the replacement for a secret, written by this redactor or earlier by another program. */
export const marker = /\[redacted(?:: [\w -]{1,60})?\]/y

export const markerAnchor = '[redacted'

export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  if (at < 0) return undefined
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

/** Maximum length of one match, because the engine's backtracking stack grows with it and is limited. */
export const longestMatch = 4096

/** End of consecutive matches of `part`, starting at `at`. */
export function runEnd(part: RegExp, text: string, at: number): number {
  let end = at
  for (let match = matchAt(part, text, end); match !== undefined; match = matchAt(part, text, end)) {
    end += match[0].length
  }
  return end
}
