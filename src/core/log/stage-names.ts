/** In the order of the loop. By itself, so that pages can use it without what checks events. */
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
