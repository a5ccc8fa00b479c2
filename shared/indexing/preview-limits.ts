export type PreviewLimits = { cloneBytes: number; timeMs: number; maxRunning: number; maxWaiting: number; maxWaitMs: number }

/** The disk holds at most `maxRunning` downloads of `cloneBytes` and their unpacked files, which have the same limit. */
export const previewLimits: PreviewLimits = {
  cloneBytes: 512 * 2 ** 20,
  timeMs: 2 * 60_000,
  maxRunning: 2,
  maxWaiting: 10,
  maxWaitMs: 30_000,
}
