const firstMs = 1_000
const lastMs = 15_000
/** A job of a minute is asked about every six seconds. */
const shareOfAge = 0.1

/** The pause before the next question about unfinished jobs, longer the older the newest of them is. False if there is none. */
export function pollInterval(jobs: readonly ({ createdAt: string } | null)[], now: number): number | false {
  const ages = jobs.flatMap((job) => (job ? [now - Date.parse(job.createdAt)] : []))
  if (ages.length === 0) return false
  return Math.min(lastMs, Math.max(firstMs, Math.min(...ages) * shareOfAge))
}
