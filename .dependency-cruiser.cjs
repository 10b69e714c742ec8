/** Who may import whom: docs/architecture.md says why. */
const path = (...names) => `^(${names.join('|')})`;
const SPECS = '(\\.spec\\.ts$|/testing/|^test/|^bench/)';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'libs-never-import-apps',
      severity: 'error',
      from: { path: path('libs/') },
      to: { path: path('apps/') },
    },
    {
      name: 'apps-never-import-apps',
      comment: 'standalone runs all of them in one process, so it alone may.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: path('apps/standalone/') },
      to: { path: path('apps/'), pathNot: '^apps/$1/' },
    },
    {
      name: 'contracts-import-nothing-of-ours',
      severity: 'error',
      from: { path: path('libs/contracts/') },
      to: { path: path('apps/', 'libs/(?!contracts/)') },
    },
    {
      name: 'the-queue-port-knows-no-broker-no-nest-and-no-telemetry',
      severity: 'error',
      from: { path: '^libs/queue/src/([^/]+\\.ts$|consume/)', pathNot: SPECS },
      to: { path: 'node_modules/(kafkajs|pg|@nestjs|rxjs|prom-client|@opentelemetry)/' },
    },
    {
      name: 'the-queue-port-imports-no-driver',
      severity: 'error',
      from: { path: '^libs/queue/src/([^/]+\\.ts$|consume/)', pathNot: SPECS },
      to: { path: '^libs/queue/src/(drivers|outbox|nest|telemetry|testing|cli)/' },
    },
    {
      name: 'drivers-do-not-know-each-other',
      severity: 'error',
      from: { path: '^libs/queue/src/drivers/([^/]+)/', pathNot: SPECS },
      to: { path: '^libs/queue/src/drivers/', pathNot: '^libs/queue/src/drivers/$1/' },
    },
    {
      name: 'only-the-kafka-driver-knows-kafkajs',
      severity: 'error',
      from: { pathNot: ['^libs/queue/src/drivers/kafka/', SPECS] },
      to: { path: 'node_modules/kafkajs/' },
    },
    {
      name: 'telemetry-is-loaded-by-who-asks-for-it',
      severity: 'error',
      from: { path: '^libs/queue/src/', pathNot: ['^libs/queue/src/telemetry/', SPECS] },
      to: { path: ['node_modules/(prom-client|@opentelemetry)/', '^libs/queue/src/telemetry/'] },
    },
    {
      name: 'services-load-opentelemetry-when-traces-are-on',
      comment: 'By an import() in startTracing; docs/adr/0019.',
      severity: 'error',
      from: { path: path('apps/', 'libs/service/'), pathNot: ['^libs/service/src/tracing/opentelemetry/', SPECS] },
      to: {
        path: [
          'node_modules/@opentelemetry/',
          '^libs/queue/(src|dist)/telemetry/opentelemetry/',
          '^libs/service/src/tracing/opentelemetry/',
        ],
        dynamic: false,
      },
    },
    {
      name: 'only-queue-nest-knows-nest',
      severity: 'error',
      from: { path: '^libs/queue/src/', pathNot: ['^libs/queue/src/nest/', SPECS] },
      to: { path: 'node_modules/(@nestjs|rxjs)/' },
    },
    {
      name: 'features-know-the-port-not-the-drivers',
      comment: 'Only libs/service opens a driver.',
      severity: 'error',
      from: { path: path('apps/'), pathNot: SPECS },
      to: { path: '^libs/queue/(src|dist)/drivers/' },
    },
    {
      name: 'libraries-are-entered-by-their-exports',
      severity: 'error',
      from: { path: '^(apps|libs)/([^/]+)/', pathNot: SPECS },
      to: { path: '^libs/[^/]+/(src|dist)/(?!.*index\\.(ts|js)$)', pathNot: '^$1/$2/' },
    },
    {
      name: 'testing-is-for-specs',
      severity: 'error',
      from: { path: path('apps/', 'libs/'), pathNot: SPECS },
      to: { path: '/testing/' },
    },
    { name: 'nothing-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.base.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['ackline-source', 'development', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(/dist/|/public/|/node_modules/\\.)' },
  },
};
