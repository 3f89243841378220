/** Direction of imports: core <- stages <- loops <- cli; core <- every adapter; adapters know neither stages nor each other. */
const adapters = [
  'models',
  'harnesses',
  'environments',
  'gates',
  'store',
  'run',
  'run-files',
  'simulated',
  'sources',
  'sandbox',
  'install',
  'mining',
  'report',
  'schedule',
  'telemetry',
]

const adapterRule = folder => ({
  name: `${folder}-imports-core-only`,
  comment: 'An adapter is one folder over core: it knows neither stages, loops nor other adapters.',
  severity: 'error',
  from: {
    path: `^src/${folder}/`,
    // The simulated provider starts the simulated server; its file says why.
    pathNot: ['[.]test[.]ts$', '^src/models/simulated[.]ts$'],
  },
  to: { path: '^src/', pathNot: [`^src/${folder}/`, '^src/core/', '^src/system/', '^src/version[.]ts$'] },
})

module.exports = {
  forbidden: [
    {
      name: 'core-imports-nothing',
      severity: 'error',
      from: { path: '^src/core/', pathNot: '[.]test[.]ts$' },
      to: { path: '^src/', pathNot: '^src/core/' },
    },
    {
      name: 'system-imports-nothing',
      comment: 'What adapters share of the machine: processes, programs and folders.',
      severity: 'error',
      from: { path: '^src/system/', pathNot: '[.]test[.]ts$' },
      to: { path: '^src/', pathNot: '^src/system/' },
    },
    {
      name: 'stages-import-core-only',
      severity: 'error',
      from: { path: '^src/stages/', pathNot: '[.]test[.]ts$' },
      to: { path: '^src/', pathNot: ['^src/core/', '^src/stages/'] },
    },
    {
      name: 'loops-import-core-and-stages-only',
      severity: 'error',
      from: { path: '^src/loops/', pathNot: '[.]test[.]ts$' },
      to: { path: '^src/', pathNot: ['^src/core/', '^src/stages/', '^src/loops/'] },
    },
    {
      name: 'prepare-imports-core-and-environments-only',
      comment:
        'What is done before there is a project: it reads and writes tasks and skills, and runs nothing.',
      severity: 'error',
      from: { path: '^src/prepare/', pathNot: '[.]test[.]ts$' },
      to: { path: '^src/', pathNot: ['^src/core/', '^src/environments/', '^src/prepare/'] },
    },
    {
      name: 'import-imports-core-stages-and-loops-only',
      comment:
        'What another program left on disk becomes events: nothing is run for it, and nothing stored in it.',
      severity: 'error',
      from: { path: '^src/import/', pathNot: '[.]test[.]ts$' },
      to: { path: '^src/', pathNot: ['^src/core/', '^src/stages/', '^src/loops/', '^src/import/'] },
    },
    {
      name: 'harvest-imports-core-system-sources-and-mining-only',
      comment: 'What sources read becomes requests: it knows nothing of what is done with them.',
      severity: 'error',
      from: { path: '^src/harvest/', pathNot: '[.]test[.]ts$' },
      to: {
        path: '^src/',
        pathNot: ['^src/core/', '^src/system/', '^src/sources/', '^src/mining/', '^src/harvest/'],
      },
    },
    {
      name: 'sleep-imports-what-reads-and-writes-tasks',
      comment:
        'The book of tasks, from what was mined: it uses the lock of a folder, the logs of nights and what adoption says of files, the checks of a scorer, and how configs are read.',
      severity: 'error',
      from: { path: '^src/sleep/', pathNot: '[.]test[.]ts$' },
      to: {
        path: '^src/',
        pathNot: [
          '^src/(core|system|mining|stages|sleep)/',
          '^src/store/(lock|read-run)[.]ts$',
          '^src/adopt/index[.]ts$',
          '^src/install/agents[.]ts$',
          '^src/loops/evaluate[.]ts$',
          '^src/environments/scoring/',
          '^src/project/',
        ],
      },
    },
    {
      name: 'adopt-imports-core-system-and-the-lock-only',
      comment: "What changes a person's files: it knows nothing of how a proposal came about.",
      severity: 'error',
      from: { path: '^src/adopt/', pathNot: '[.]test[.]ts$' },
      to: { path: '^src/', pathNot: ['^src/(core|system|adopt)/', '^src/store/lock[.]ts$'] },
    },
    ...adapters.map(adapterRule),
    {
      name: 'pages-import-core-only',
      comment:
        'The pages of the dashboard run in a browser: they fold the same events, and know nothing of the machine.',
      severity: 'error',
      from: { path: '^web/src/', pathNot: '[.]test[.]tsx?$' },
      to: { path: '^src/', pathNot: '^src/core/' },
    },
    {
      name: 'nobody-imports-the-server-but-the-cli',
      severity: 'error',
      from: { pathNot: '^(src/cli|src/server|test|bench)/' },
      to: { path: '^src/server/' },
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
      from: { orphan: true, pathNot: ['[.]d[.]ts$', '^src/(gates|models|environments)/'] },
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
