/** In loop order. Kept in a module of its own so that web pages can import it without the event schemas. */
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
