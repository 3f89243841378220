import { hiddenTextObjection } from './hidden-text.js'

/** What a skill may become. The optimizer is told, and a change that goes beyond is refused. */
export interface SkillLimit {
  /** What the optimizer is told about the skill as it is; empty where there is nothing to say. */
  note(text: string): string
  /** Why a change may not be made. */
  objection(before: string, after: string): string | undefined
}

/** Counting is given from outside, because the tokenizer's tables are slow to load. */
export function tokenLimit(tokens: number, count: (text: string) => number): SkillLimit {
  return {
    note: text =>
      `The skill has about ${count(text)} tokens. It may have at most ${tokens}; a change that goes beyond is refused.`,
    // A skill that is too long already may still change, as long as it does not grow.
    objection(before, after) {
      const length = count(after)
      if (length <= tokens || length <= count(before)) return undefined
      return `It would take the skill to about ${length} tokens; the limit is ${tokens}.`
    },
  }
}

/** No change may bring in text that nobody sees. */
export const noHiddenText: SkillLimit = { note: () => '', objection: hiddenTextObjection }

/** All of them hold; the first objection is the one that is told. */
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
