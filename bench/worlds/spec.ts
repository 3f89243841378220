/** All parameters of a simulated world. They and a seed determine its truth. */
export interface WorldSpec {
  readonly name: string
  /** Short description for a table. */
  readonly about: string
  readonly sizes: { readonly train: number; readonly val: number; readonly test: number }
  /** Number of topics; each has one rule for its tickets. */
  readonly topics: number
  /** Zipf exponent of topic frequencies: 0 makes them equally frequent. */
  readonly skew: number
  /** Share of tasks that need the rules of two topics at once. */
  readonly twoRules: number
  /** Probability that a task needs a further rule, drawn again for each, up to five in total. */
  readonly further: number
  /** Probability of a correct answer without and with the rules that a task needs. */
  readonly base: number
  readonly ceiling: number
  /** Share of tasks whose samples are independent draws; the others always give the same answer. */
  readonly noisy: number
  /** Habits: rules with a small effect on every task. */
  readonly habits: {
    readonly count: number
    /** Shares of habits that help and harm; the rest have no effect. */
    readonly helpful: number
    readonly harmful: number
    /** Change of the probability of a correct answer by one habit. */
    readonly effect: number
    /** Helpful habits come in pairs that help only `together`, or that `cancel` each other. */
    readonly pairs: 'none' | 'together' | 'cancel'
  }
  /** Shares of the kinds of proposals for a cause; they add up to 1. */
  readonly proposals: {
    readonly right: number
    readonly vague: number
    readonly wrong: number
    readonly harmful: number
  }
  /** Share of the vague proposals that become rules once the optimizer's own notes ask for exact rules. */
  readonly heedsNotes: number
  /** Probability that a proposal overwrites a right line of the skill. */
  readonly spoil: number
  /** Probability that a further alternative for a cause only rephrases an earlier one. */
  readonly rephrased: number
  /**
   * Probability that a ticket names its topic by the word that rules use, and that it mentions another
   * topic.
   */
  readonly words: { readonly recall: number; readonly distractors: number }
  /** Recall and precision of the optimizer's concern classification. An assumption: no model was measured. */
  readonly classification: { readonly recall: number; readonly precision: number }
  /** Beyond this many words of skill, each further hundred reduces the probability by `loss`. */
  readonly longSkill: { readonly words: number; readonly loss: number }
}

const noHabits: WorldSpec['habits'] = { count: 0, helpful: 0, harmful: 0, effect: 0, pairs: 'none' }

const sparse: WorldSpec = {
  name: 'sparse',
  about: '16 rules of very different frequency, half of the samples noisy',
  sizes: { train: 160, val: 60, test: 400 },
  topics: 16,
  skew: 0.6,
  twoRules: 0,
  further: 0,
  base: 0.25,
  ceiling: 0.95,
  noisy: 0.5,
  habits: noHabits,
  proposals: { right: 0.3, vague: 0.25, wrong: 0.25, harmful: 0.2 },
  heedsNotes: 0,
  spoil: 0,
  rephrased: 0.2,
  words: { recall: 0.9, distractors: 0.1 },
  classification: { recall: 0.85, precision: 0.85 },
  longSkill: { words: 2000, loss: 0.02 },
}

const habitWorld: WorldSpec = {
  ...sparse,
  name: 'habits',
  about: 'every edit has a small effect on all tasks',
  topics: 0,
  base: 0.35,
  noisy: 1,
  habits: { count: 60, helpful: 0.3, harmful: 0.3, effect: 0.06, pairs: 'none' },
}

/** The worlds that results are reported on. */
export const reportedWorlds: readonly WorldSpec[] = [
  sparse,
  {
    ...sparse,
    name: 'noisy-30',
    about: '30 validation tasks, all samples noisy, one proposal in five is right',
    sizes: { train: 160, val: 30, test: 400 },
    noisy: 1,
    proposals: { right: 0.2, vague: 0.25, wrong: 0.3, harmful: 0.25 },
  },
  {
    ...sparse,
    name: 'large',
    about: '400 train and 200 validation tasks, 24 rules',
    sizes: { train: 400, val: 200, test: 800 },
    topics: 24,
  },
  {
    ...sparse,
    name: 'two-rules',
    about: 'half of the tasks need two rules at once',
    topics: 12,
    twoRules: 0.5,
  },
  {
    ...sparse,
    name: 'many-rules',
    about: 'tasks need up to five of 10 rules at once; two of five proposals are right',
    topics: 10,
    skew: 0.3,
    twoRules: 0.8,
    further: 0.5,
    base: 0.15,
    noisy: 0.3,
    proposals: { right: 0.4, vague: 0.25, wrong: 0.2, harmful: 0.15 },
  },
  {
    ...sparse,
    name: 'spoiler',
    about: 'one proposal in six overwrites a right rule; a long skill distracts',
    spoil: 0.17,
    longSkill: { words: 260, loss: 0.06 },
  },
  habitWorld,
  {
    ...habitWorld,
    name: 'few-good',
    about: 'small effects on all tasks; 15% of the edits help, 40% harm',
    habits: { ...habitWorld.habits, helpful: 0.15, harmful: 0.4 },
  },
  {
    ...habitWorld,
    name: 'together',
    about: 'small effects; helpful edits come in pairs that help only together',
    habits: { ...habitWorld.habits, effect: 0.12, pairs: 'together' },
  },
  {
    ...habitWorld,
    name: 'cancel',
    about: 'small effects; helpful edits come in pairs that cancel each other',
    habits: { ...habitWorld.habits, pairs: 'cancel' },
  },
  {
    ...sparse,
    name: 'null',
    about: 'nothing that is proposed ever helps',
    base: 0.5,
    proposals: { right: 0, vague: 0.35, wrong: 0.35, harmful: 0.3 },
  },
  {
    ...sparse,
    name: 'tiny',
    about: '40 train and 20 validation tasks, fully noisy',
    sizes: { train: 40, val: 20, test: 400 },
    topics: 6,
    noisy: 1,
  },
  {
    ...sparse,
    name: 'steady',
    about: 'a target that answers alike every time',
    noisy: 0,
  },
  {
    ...sparse,
    name: 'poor-words',
    about: 'rules and tickets seldom share a word',
    words: { recall: 0.35, distractors: 0.3 },
  },
]

/** Constants of the method are tuned on these worlds, with other seeds, never on the reported ones. */
export const developmentWorlds: readonly WorldSpec[] = [
  {
    ...sparse,
    name: 'dev-sparse',
    about: 'development: 12 rules, a third of the samples noisy',
    sizes: { train: 120, val: 50, test: 400 },
    topics: 12,
    skew: 0.8,
    base: 0.2,
    noisy: 0.35,
    words: { recall: 0.8, distractors: 0.2 },
  },
  {
    ...sparse,
    name: 'dev-noisy',
    about: 'development: 40 validation tasks, all samples noisy',
    sizes: { train: 200, val: 40, test: 400 },
    topics: 18,
    base: 0.3,
    noisy: 1,
    proposals: { right: 0.22, vague: 0.28, wrong: 0.3, harmful: 0.2 },
  },
  {
    ...habitWorld,
    name: 'dev-habits',
    about: 'development: small effects on all tasks',
    habits: { count: 48, helpful: 0.25, harmful: 0.35, effect: 0.07, pairs: 'none' },
  },
  {
    ...sparse,
    name: 'dev-mixed',
    about: 'development: rules for topics, habits, spoiled rules, two rules at once',
    topics: 10,
    twoRules: 0.2,
    base: 0.25,
    ceiling: 0.85,
    noisy: 0.7,
    spoil: 0.1,
    habits: { count: 30, helpful: 0.25, harmful: 0.35, effect: 0.05, pairs: 'none' },
    words: { recall: 0.7, distractors: 0.2 },
  },
  {
    ...sparse,
    name: 'dev-two-rules',
    about: 'development: a third of the tasks need two rules at once',
    sizes: { train: 140, val: 50, test: 400 },
    topics: 10,
    twoRules: 0.35,
    base: 0.2,
    noisy: 0.6,
  },
  {
    ...sparse,
    name: 'dev-many-rules',
    about: 'development: tasks need up to five of 8 rules at once',
    sizes: { train: 90, val: 50, test: 400 },
    topics: 8,
    skew: 0.4,
    twoRules: 0.7,
    further: 0.55,
    base: 0.2,
    noisy: 0.5,
    proposals: { right: 0.45, vague: 0.25, wrong: 0.2, harmful: 0.1 },
  },
  {
    ...sparse,
    name: 'dev-small',
    about: 'development: 50 train and 24 validation tasks',
    sizes: { train: 50, val: 24, test: 400 },
    topics: 7,
    base: 0.3,
    noisy: 0.8,
  },
  {
    ...habitWorld,
    name: 'dev-together',
    about: 'development: helpful edits come in pairs that help only together',
    base: 0.3,
    habits: { count: 40, helpful: 0.4, harmful: 0.2, effect: 0.1, pairs: 'together' },
  },
  {
    ...habitWorld,
    name: 'dev-cancel',
    about: 'development: few helpful edits, in pairs that cancel each other',
    base: 0.4,
    habits: { count: 50, helpful: 0.24, harmful: 0.4, effect: 0.07, pairs: 'cancel' },
  },
  {
    ...habitWorld,
    name: 'dev-few-good',
    about: 'development: small effects on all tasks; few edits help, many harm',
    base: 0.4,
    habits: { count: 54, helpful: 0.17, harmful: 0.42, effect: 0.065, pairs: 'none' },
  },
  {
    ...sparse,
    name: 'dev-poor-words',
    about: 'development: rules and tickets share a word half of the time',
    topics: 12,
    words: { recall: 0.5, distractors: 0.25 },
  },
  {
    ...sparse,
    name: 'dev-null',
    about: 'development: nothing that is proposed ever helps',
    base: 0.4,
    noisy: 0.8,
    proposals: { right: 0, vague: 0.4, wrong: 0.4, harmful: 0.2 },
  },
]

export function worldSpec(name: string): WorldSpec {
  const found = [...reportedWorlds, ...developmentWorlds].find(spec => spec.name === name)
  if (found === undefined) throw new Error(`There is no world named "${name}".`)
  return found
}
