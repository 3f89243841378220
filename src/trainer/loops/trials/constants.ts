/**
 * Constants of training by trials that are not options. They were chosen on the development worlds of
 * `bench/worlds`; `npm run bench:sensitivity` halves and doubles each of them.
 */
export const constants = {
  /**
   * Share of the attempts that include an edit for all tasks: at the start, if it surely harms, and if it
   * surely helps.
   */
  globalStart: 0.25,
  globalFrom: 0.1,
  globalTo: 0.7,
  /** Maximum number of edits for all tasks per slot. Several are possible, since they cost no attempts. */
  globalPerSlot: 4,
  /** Minimum attempts with an edit for all tasks before it is judged. */
  globalLeastTrials: 30,
  /** Expected effects to accept and to ship an edit for all tasks, and below which it is taken back. */
  globalAccept: 0.015,
  globalShip: 0.005,
  globalTakeBack: 0,
  /** Likelihood ratio at which an edit for all tasks is dropped. */
  globalDrop: 0.1,
  /** An edit that concerns more than this share of the train tasks counts as one for all tasks. */
  globalShare: 0.9,
  /** An edit for some tasks is refuted at this likelihood ratio or below. */
  refuted: 0.12,
  /**
   * Probabilities of helping below which an accepted edit for some tasks is taken back, and above which it
   * ships.
   */
  takeBack: 0.5,
  ship: 0.6,
  /**
   * An edit is neither taken back nor dropped if its estimated effect is this many standard deviations above
   * zero.
   */
  agrees: 1.5,
  /** Likelihood ratio from which a dropped edit is tried again. */
  revive: 1,
  /**
   * A remedy replaces the accepted one for its cause if its probability of helping is higher by this much.
   */
  overtakes: 0.1,
  /**
   * Probabilities of harm on unconcerned tasks above which an edit is dropped, and below which it may be
   * accepted.
   */
  dropElsewhere: 0.8,
  acceptElsewhere: 0.5,
  /** Control attempts without any remedy for a cause, per attempt with the most promising remedy. */
  controls: 0.25,
  /**
   * Each running attempt multiplies the value of another one for the same edit, or for the same cause, by
   * this factor.
   */
  sameEdit: 0.5,
  sameCause: 0.7,
  /** Value of an attempt with an edit that looks unlikely to help, relative to other attempts. */
  doubtful: 0.05,
  /** Maximum attempts with one edit at one task. */
  perTask: 3,
  /**
   * An edit with at least this probability of helping is also tried on unconcerned tasks. `elsewhere` is the
   * share of those tasks on which it is tried.
   */
  promising: 0.5,
  elsewhere: 0.25,
  /** Remedies for other causes are drawn with a weight: their probability of helping to this power. */
  greed: 2,
  /**
   * Share of a task's attempts that also include the best remedy for another of its causes, before and after
   * that remedy is promising.
   */
  beside: 0.6,
  besidePromising: 0.9,
  /** Of the attempts that test an accepted edit for some tasks, the share that leave it out. */
  localLeftOut: 0.33,
  /** Of the attempts with another remedy for a cause, the share that leave out the accepted one. */
  rivalLeftOut: 0.5,
  /** Weights, in attempts, of the prior for the pass rate of a task and for that of a cause's tasks. */
  expectation: 2,
  baseline: 4,
  /** Factor on the expected effect of accepted edits in the estimate of a task's pass rate. */
  servedFactor: 1.5,
  /**
   * The optimizer is asked for more edits while the viable edits per attempt of a round are fewer than this.
   */
  supply: 1,
  /** Gibbs sweeps for edits for some tasks: those discarded at first (burn-in), and those that count. */
  burnIn: 30,
  sweeps: 60,
}
