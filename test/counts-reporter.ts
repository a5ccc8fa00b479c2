import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with one line of its counts, on any terminal. */
export class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]) {
    const states = modules.flatMap((module) => [...module.children.allTests()]).map((test) => test.result().state)
    const broken = modules.filter((module) => module.state() === 'failed' && [...module.children.allTests()].length === 0)
    const count = (state: string) => states.filter((each) => each === state).length
    const failed = count('failed') + broken.length + errors.length
    const skipped = count('skipped')
    process.stdout.write(`\n${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`)
  }
}
