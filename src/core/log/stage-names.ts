/**
 * Stage names in loop order. They have a module of their own so that web pages can import them without the
 * event schemas.
 */
export const stageNames = [
  'baseline',
  'rollout',
  'reflect',
  'aggregate',
  'select',
  'update',
  'gate',
  'slow-update',
  'meta-skill',
  'one-shot',
  'test',
  'mine',
  'dream',
] as const
