/** One Jest for the whole workspace: native ESM, TypeScript through SWC; PostgreSQL is started once for the run. */
export default {
  testEnvironment: 'node',
  testMatch: ['**/*.spec.ts'],
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/examples', '<rootDir>/test'],
  modulePathIgnorePatterns: ['/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: { '^(\\.{1,2}/.*(?<!\\.json))\\.js$': '$1' },
  testEnvironmentOptions: { customExportConditions: ['ackline-source', 'development', 'node'] },
  globalSetup: '<rootDir>/test/jest/start-postgres.mjs',
  globalTeardown: '<rootDir>/test/jest/stop-postgres.mjs',
  testTimeout: 60_000,
  maxWorkers: 2,
  collectCoverageFrom: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts', '!**/*.spec.ts', '!**/main.ts'],
  coverageReporters: ['text-summary', 'lcov'],
};
