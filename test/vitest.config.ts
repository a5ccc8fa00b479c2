import { defineConfig } from 'vitest/config'
import { CountsReporter } from './counts-reporter.ts'
import { quickFiles } from './quick-files.ts'
import { SlowestFirst } from './slowest-first.ts'

/** Their entries read the environment of a stage when they load. */
const stageFiles = [
  'test/functions/{entries,hanging-services,outage-minute,stage,throttled}.test.ts',
  'test/functions/entries/*.test.ts',
  'test/functions/aws/{stage,starter}-ports.test.ts',
  'test/functions/recovery/restore-drill.test.ts',
]

/** Test files of a worker share its modules, which saves a quarter of the CPU time: LanceDB and the AWS SDK load once, not once per file. */
const project = (name: string, globalSetup: string[] = []) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], exclude: [...stageFiles, ...quickFiles], isolate: false, globalSetup },
})

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    reporters: ['default', new CountsReporter()],
    // All code runs in Node as it is: transforming it in every worker takes a fifth of the CPU time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A limit ends what would run for ever. It is no measure of speed: the same tests run on machines that are ten times slower.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // `npm start`, which tests run, would build it in several processes at the same time.
    globalSetup: ['test/temp-in-memory.ts', 'test/build-web.ts'],
    expect: { poll: { timeout: 120_000 } },
    sequence: { sequencer: SlowestFirst },
    // Many files mostly wait: for a back-off, a kill, a limit. Two cores are busy with three.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: { name: 'quick', include: quickFiles, setupFiles: ['test/only-in-process.ts'], isolate: false },
      },
      project('shared'),
      project('functions'),
      project('onprem', ['test/build-package.ts']),
      project('contracts'),
      { extends: true, test: { name: 'stage', include: [...stageFiles, 'test/stacks/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 600_000,
          globalSetup: ['test/build-package.ts', 'test/install-chromium.ts'],
          // Web tests of a worker also share its Chromium.
          isolate: false,
        },
      },
    ],
  },
})
