/** Stage names in loop order. In a module of their own, for web pages without the event schemas. */
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
