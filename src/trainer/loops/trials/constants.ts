/**
 * The constants of training by trials that are not options. They were chosen on the development worlds of `bench/worlds`;
 * `npm run bench:sensitivity` halves and doubles each of them.
 */
export const constants = {
  /** A pending edit for all tasks is in this share of the attempts. */
  globalOn: 0.4,
  /** There is room for this many edits for all tasks per slot: every attempt tries them at no further cost. */
  globalPerSlot: 3,
  /** Attempts with an edit for all tasks before it is judged. */
  globalLeastTrials: 30,
  /** Likelihood ratios at which an edit for all tasks is accepted, shipped, taken back and dropped. */
  globalAccept: 2,
  globalShip: 1.2,
  globalTakeBack: 0.5,
  globalDrop: 0.1,
  /** Above this share of the train tasks an edit is taken to concern all of them. */
  globalShare: 0.9,
  /** At this likelihood ratio or below an edit for some tasks is refuted. */
  refuted: 0.12,
  /** An accepted edit for some tasks is taken back below this probability of helping, and shipped above the other. */
  takeBack: 0.5,
  ship: 0.6,
  /** An edit whose own effect is above zero by this many standard deviations is neither taken back nor dropped. */
  agrees: 1.5,
  /** A dropped edit is tried again from this likelihood ratio on. */
  revive: 1,
  /** A remedy takes the place of the accepted one for its cause if it is more likely to help by this much. */
  overtakes: 0.1,
  /** Above this probability that an edit does harm on tasks it does not concern, it is dropped; below the other it may be accepted. */
  dropElsewhere: 0.8,
  acceptElsewhere: 0.5,
  /** Attempts without any remedy for a cause, per attempt with the most promising one. */
  controls: 0.25,
  /** Each attempt under way makes the next one for the same edit, or the same cause, worth this share. */
  sameEdit: 0.5,
  sameCause: 0.7,
  /** What an attempt with an edit that looks unlikely to help is worth, against one that does not. */
  doubtful: 0.05,
  /** Attempts with one edit at one task. */
  perTask: 3,
  /** From this probability of helping on, an edit is tried on this share of the tasks it does not concern. */
  promising: 0.5,
  elsewhere: 0.25,
  /** Remedies of other causes are drawn by this power of their probability of helping. */
  greed: 2,
  /** The best remedy of another cause that concerns a task is in this share of its attempts, and in more once it is promising. */
  beside: 0.6,
  besidePromising: 0.9,
  /** An accepted edit for all tasks that is not certain yet is left out of this share of the attempts. */
  leftOut: 0.33,
  /** Of the attempts that confirm an accepted edit for some tasks, this share is made without it. */
  localLeftOut: 0.33,
  /** Of the attempts with a further remedy for a cause, this share is made without the accepted one. */
  rivalLeftOut: 0.5,
  /** What beliefs expect of a task, and of the tasks of a cause, is worth so many attempts. */
  expectation: 2,
  baseline: 4,
  /** How much of the expected effect of accepted edits is taken for granted when a task's pass rate is guessed. */
  servedFactor: 1.5,
  /** The optimizer is asked for more while fewer edits than this per attempt of a round are worth trying. */
  supply: 1,
  /** Sweeps of the sampler that judges edits for some tasks: before it is listened to, and after that. */
  burnIn: 30,
  sweeps: 60,
}
