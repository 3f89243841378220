/**
 * The rooms of src, lowest first, and what each may import besides itself. A room imports only rooms above it in this
 * list, so that no two of them can depend on each other.
 */
const rooms = {
  core: [],
  system: ['core'],
  trainer: ['core'],
  run: ['core'],
  store: ['core', 'system'],
  sandbox: ['core', 'system'],
  telemetry: ['core', 'system'],
  simulated: ['system'],
  models: ['core', 'system'],
  agents: ['core', 'system'],
  tasks: ['core', 'system'],
  report: ['core'],
  prepare: ['core', 'system', 'tasks'],
  compat: ['core', 'system', 'trainer'],
  project: [
    'core',
    'system',
    'trainer',
    'run',
    'store',
    'sandbox',
    'telemetry',
    'models',
    'agents',
    'tasks',
    'compat',
  ],
  testing: ['core', 'sandbox', 'simulated', 'project'],
  session: ['core', 'system', 'trainer', 'run', 'store', 'models', 'agents', 'tasks', 'project'],
  sleep: [
    ...['core', 'system', 'trainer', 'run', 'store', 'sandbox', 'models', 'agents', 'tasks'],
    ...['project', 'session'],
  ],
  app: [
    ...['core', 'system', 'trainer', 'run', 'store', 'models', 'agents', 'tasks'],
    ...['compat', 'project', 'session', 'sleep'],
  ],
  experiment: ['core', 'system', 'store', 'simulated', 'tasks', 'sleep', 'app'],
  dashboard: ['core', 'system', 'trainer', 'store', 'models', 'agents', 'compat', 'project', 'sleep', 'app'],
  cli: [
    ...['core', 'system', 'trainer', 'store', 'models', 'agents', 'tasks', 'report', 'prepare', 'compat'],
    ...['project', 'sleep', 'app', 'experiment', 'dashboard'],
  ],
}

const names = Object.keys(rooms)
for (const [room, allowed] of Object.entries(rooms))
  for (const other of allowed)
    if (!names.slice(0, names.indexOf(room)).includes(other))
      throw new Error(`The room ${room} may not import ${other}, which does not stand above it in the list.`)

const tests = '[.]test[.]tsx?$'
const roomRule = ([room, allowed]) => ({
  name: `${room}-imports-${allowed.join('-') || 'nothing'}`,
  severity: 'error',
  from: {
    path: `^src/${room}/`,
    // The simulated provider starts the simulated server; its file says why.
    pathNot: [tests, '^src/models/simulated[.]ts$'],
  },
  to: { path: '^src/', pathNot: `^src/(${[room, ...allowed].join('|')})/` },
})

/** A part of a room that may import less than the whole. */
const partRule = (part, allowed, comment) => ({
  name: `${part.replace('/', '-')}-imports-only-what-it-needs`,
  comment,
  severity: 'error',
  from: { path: `^src/${part}/`, pathNot: tests },
  to: { path: '^src/', pathNot: `^src/(${[part, ...allowed].join('|')})/` },
})

module.exports = {
  forbidden: [
    {
      name: 'every-file-is-in-a-room',
      comment: 'A new folder of src needs its line above.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(${names.join('|')})/` },
      to: {},
    },
    {
      name: 'every-import-leads-into-a-room',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: `^src/(${names.join('|')})/` },
    },
    ...Object.entries(rooms).map(roomRule),
    partRule('trainer/stages', ['core'], 'One verb per file: a stage knows no loop.'),
    partRule('trainer/gates', ['core'], 'A gate decides from scores alone.'),
    partRule('trainer/loops', ['core', 'trainer/stages'], 'The algorithms, over stages.'),
    partRule('trainer/forecast', ['core', 'trainer/stages', 'trainer/loops'], 'What a training will take.'),
    partRule('tasks/loading', ['core', 'system'], 'How task files are read: it knows no environment.'),
    partRule('tasks/scoring', ['core', 'system', 'tasks/loading'], 'A scorer knows no environment.'),
    partRule('agents/shared', ['core', 'system'], 'What all agents share knows none of them.'),
    partRule('sleep/model', ['core'], 'Types and pure functions, which the pages of the dashboard use too.'),
    partRule(
      'sleep/schedule',
      ['core', 'system'],
      'The schedulers of operating systems: they know no night.',
    ),
    partRule(
      'sleep/adopt',
      ['core', 'system', 'store', 'sleep/model'],
      "What changes a person's files: it knows nothing of how a proposal came about.",
    ),
    partRule('dashboard/contract', ['core', 'sleep/model'], 'What the server and the pages agree on.'),
    {
      name: 'agents-do-not-know-each-other',
      severity: 'error',
      from: { path: '^src/agents/([^/]+)/', pathNot: [tests, '^src/agents/registry/'] },
      to: { path: '^src/agents/', pathNot: ['^src/agents/$1/', '^src/agents/shared/'] },
    },
    {
      name: 'benchmarks-do-not-know-each-other',
      severity: 'error',
      from: { path: '^src/tasks/benchmarks/([^/]+)/', pathNot: tests },
      to: { path: '^src/tasks/(benchmarks|own)/', pathNot: '^src/tasks/benchmarks/$1/' },
    },
    {
      name: 'pages-import-core-and-contracts-only',
      comment:
        'The pages of the dashboard run in a browser: they fold the same events, and know nothing of the machine.',
      severity: 'error',
      from: { path: '^web/src/', pathNot: tests },
      to: { path: '^src/', pathNot: '^src/(core|dashboard/contract|sleep/model)/' },
    },
    {
      name: 'nobody-imports-the-cli',
      severity: 'error',
      from: { pathNot: '^(src/cli|test)/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['[.]d[.]ts$', '^src/(trainer/gates|models|agents|tasks)/'] },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.json'],
      mainFields: ['module', 'main', 'types'],
    },
  },
}
