/** Milliseconds by step, in their order. */
export type Timings = Record<string, number>

/** Measures the steps of an answer. */
export function stopwatch(now: () => number = () => performance.now()) {
  const timings: Timings = {}
  let last = now()
  return {
    timings,
    /** Ends the step that runs. */
    lap(step: string) {
      const time = now()
      timings[step] = Math.round((time - last) * 10) / 10
      last = time
    },
  }
}
export type Stopwatch = ReturnType<typeof stopwatch>
