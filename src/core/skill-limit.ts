/** How long the skill may get. Counting is given from outside, because the tokenizer's tables are slow to load. */
export interface SkillLimit {
  readonly tokens: number
  count(text: string): number
}

/** What the optimizer is told about the length; nothing without a limit. */
export function lengthNote(text: string, limit: SkillLimit | undefined): string {
  if (limit === undefined) return ''
  return `The skill has about ${limit.count(text)} tokens. It may have at most ${limit.tokens}; a change that goes beyond is refused.`
}

/** Why a change may not be made. A skill that is too long already may still change, as long as it does not grow. */
export function lengthObjection(
  before: string,
  after: string,
  limit: SkillLimit | undefined,
): string | undefined {
  if (limit === undefined) return undefined
  const length = limit.count(after)
  if (length <= limit.tokens || length <= limit.count(before)) return undefined
  return `It would take the skill to about ${length} tokens; the limit is ${limit.tokens}.`
}
