/**
 * SKILLOPT_TEST_ALL=1 adds slow cases that cover the same code as one that always runs. AGENTS.md lists
 * them.
 */
export const isAll = process.env.SKILLOPT_TEST_ALL !== undefined
