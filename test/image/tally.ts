let passed = 0
let failed = 0

/** Runs a check and prints its name with the seconds that it took. A failure is printed and counted, and the next check runs. */
export async function check(name: string, work: () => unknown): Promise<void> {
  const begin = performance.now()
  const seconds = () => ((performance.now() - begin) / 1000).toFixed(1)
  try {
    await work()
    passed += 1
    console.log(`  ok      ${name} (${seconds()} s)`)
  } catch (error) {
    failed += 1
    console.log(
      `  FAILED  ${name} (${seconds()} s)\n${String(error instanceof Error ? error.stack : error).replace(/^/gm, '          ')}`,
    )
  }
}

/** The counts so far, as arguments of a process that continues them. */
export const counts = (): string[] => [String(passed), String(failed)]

export function continueFrom(before: string[]): void {
  ;[passed = 0, failed = 0] = before.map(Number)
}

/** Prints the last line and ends the process. */
export function finish(remark: string): never {
  console.log(`${passed} passed, ${failed} failed${remark}`)
  process.exit(failed === 0 ? 0 : 1)
}
