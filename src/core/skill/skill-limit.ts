import { hiddenTextObjection } from './hidden-text.js'

/** A limit on a skill. The optimizer is told about it, and a change that violates it is refused. */
export interface SkillLimit {
  /** Note to the optimizer about the limit and the current skill; may be empty. */
  note(text: string): string
  /** The reason why a change is refused; undefined if it is allowed. */
  objection(before: string, after: string): string | undefined
}

/** Limits the tokens of a skill. The counter is a parameter because its tables are slow to load. */
export function tokenLimit(tokens: number, count: (text: string) => number): SkillLimit {
  return {
    note: text =>
      `The skill has about ${count(text)} tokens. It may have at most ${tokens}; a change that goes beyond is refused.`,
    // A skill that is already too long may still change if it does not become longer.
    objection(before, after) {
      const length = count(after)
      if (length <= tokens || length <= count(before)) return undefined
      return `It would take the skill to about ${length} tokens; the limit is ${tokens}.`
    },
  }
}

/** A limit that allows no change to add hidden text. */
export const noHiddenText: SkillLimit = { note: () => '', objection: hiddenTextObjection }

/** Combines limits; the first objection is reported. */
export function allLimits(limits: readonly SkillLimit[]): SkillLimit {
  return {
    note: text =>
      limits
        .map(limit => limit.note(text))
        .filter(note => note !== '')
        .join('\n'),
    objection: (before, after) => {
      for (const limit of limits) {
        const objection = limit.objection(before, after)
        if (objection !== undefined) return objection
      }
      return undefined
    },
  }
}
