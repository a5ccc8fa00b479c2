import { defineConfig } from 'vitest/config'
import { CountsReporter } from './counts-reporter.ts'
import { SlowestFirst } from './slowest-first.ts'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    reporters: ['default', new CountsReporter()],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    sequence: { sequencer: SlowestFirst },
    // Many files mostly wait: for a back-off, a kill, a limit. Two cores are busy with three.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'shared', include: ['test/shared/**/*.test.ts'] } },
      { extends: true, test: { name: 'functions', include: ['test/functions/**/*.test.ts'] } },
      { extends: true, test: { name: 'onprem', include: ['test/onprem/**/*.test.ts'] } },
      { extends: true, test: { name: 'stacks', include: ['test/stacks/**/*.test.ts'] } },
      { extends: true, test: { name: 'contracts', include: ['test/contracts/**/*.test.ts'] } },
      { extends: true, test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], testTimeout: 120_000 } },
    ],
  },
})
