import { countOf } from '../format.ts'

/** A job that ended while the page was open. */
export type JobEnd = { job: string; library: string; hasFailed: boolean }

type Announcement = { message: string; action: { label: string; run: () => void } }

export type JobEndPorts = {
  /** The number of jobs that run or wait, as far as the page knows. */
  unfinished(): number
  /** True if the page in front shows the jobs of this library. */
  isShown(library: string): boolean
  openLibrary(library: string): void
  /** Opens a job, or all of them. */
  openJobs(end?: JobEnd): void
  announce(announcement: Announcement): void
}

/** Jobs that end within this time are announced together. */
const gatherMs = 1_000
/** More unfinished jobs than these are announced together when all have ended, or after some minutes. */
const fewJobs = 2
const lookAgainMs = 30_000
const maxHeldMs = 5 * 60_000

/** Announces jobs that the page in front does not show: one by one, or many in one sentence. A job is announced once. */
export function jobEnds(ports: JobEndPorts): (end: JobEnd) => void {
  const known = new Set<string>()
  let held: JobEnd[] = []
  let areMany = false
  let heldSince = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const announce = () => {
    const unfinished = ports.unfinished()
    areMany ||= unfinished > fewJobs
    if (areMany && unfinished > 0 && Date.now() - heldSince < maxHeldMs) {
      timer = setTimeout(announce, lookAgainMs)
      return
    }
    const ends = held.filter(({ library }) => !ports.isShown(library))
    held = []
    areMany = false
    if (ends.length > 0) ports.announce(announcementOf(ends, ports))
  }
  return (end) => {
    if (known.has(end.job)) return
    known.add(end.job)
    if (held.length === 0) heldSince = Date.now()
    held.push(end)
    // The last of many may end more slowly than the others.
    areMany ||= ports.unfinished() > fewJobs
    clearTimeout(timer)
    timer = setTimeout(announce, gatherMs)
  }
}

function announcementOf(ends: readonly JobEnd[], { openLibrary, openJobs }: JobEndPorts): Announcement {
  const [end] = ends
  if (end && ends.length === 1)
    return end.hasFailed
      ? { message: `The job of ${end.library} failed.`, action: { label: 'Show job', run: () => openJobs(end) } }
      : { message: `${end.library} is ready.`, action: { label: 'Open', run: () => openLibrary(end.library) } }
  const failed = ends.filter(({ hasFailed }) => hasFailed).length
  const done = ends.length - failed
  const parts = [
    ...(done > 0 ? [`${countOf(done, 'library is', 'libraries are')} ready`] : []),
    ...(failed > 0 ? [`${countOf(failed, 'job')} failed`] : []),
  ]
  return { message: `${parts.join(', ')}.`, action: { label: 'Show jobs', run: () => openJobs() } }
}
