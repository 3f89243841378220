/**
 * SKILLOPT_TEST_ALL=1: also the cases that take long and go the same way through our code as one that always runs. What
 * they are is said in AGENTS.md.
 */
export const isAll = process.env.SKILLOPT_TEST_ALL !== undefined
