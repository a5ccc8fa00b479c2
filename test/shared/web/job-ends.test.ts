import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type JobEndPorts, jobEnds } from '../../../shared/web/jobs/job-ends.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function announcer(shown = '') {
  const messages: string[] = []
  const opened: string[] = []
  const state = { unfinished: 0 }
  const ports: JobEndPorts = {
    unfinished: () => state.unfinished,
    isShown: (library) => library === shown,
    openLibrary: (library) => opened.push(library),
    openJobs: (end) => opened.push(end ? `job ${end.job}` : 'all jobs'),
    announce({ message, action }) {
      messages.push(`${message} [${action?.label}]`)
      action?.run()
    },
  }
  return { note: jobEnds(ports), messages, opened, state }
}

const end = (job: number, hasFailed = false) => ({ job: String(job), library: `/acme/lib-${job}`, hasFailed })

test('a job that ends is announced once, with a way to its library or to its error', () => {
  const { note, messages, opened } = announcer()
  note(end(1))
  note(end(1))
  vi.advanceTimersByTime(2_000)
  note(end(2, true))
  vi.advanceTimersByTime(2_000)
  note(end(1))
  vi.advanceTimersByTime(2_000)
  expect(messages).toEqual(['/acme/lib-1 is ready. [Open]', 'The job of /acme/lib-2 failed. [Show job]'])
  expect(opened).toEqual(['/acme/lib-1', 'job 2'])
})

test('a job whose library is in front is not announced', () => {
  const { note, messages } = announcer('/acme/lib-1')
  note(end(1))
  vi.advanceTimersByTime(2_000)
  expect(messages).toEqual([])
})

test('two hundred jobs of one action are one announcement', () => {
  const { note, messages, opened, state } = announcer()
  for (let job = 1; job <= 200; job++) {
    state.unfinished = 200 - job
    note(end(job, job % 100 === 0))
    vi.advanceTimersByTime(1_400)
  }
  expect(messages).toEqual(['198 libraries are ready, 2 jobs failed. [Show jobs]'])
  expect(opened).toEqual(['all jobs'])
})

test('the last of many jobs are announced with the others, although they take longer', () => {
  const { note, messages, state } = announcer()
  for (let job = 1; job <= 8; job++) {
    state.unfinished = 8 - job
    note(end(job))
    vi.advanceTimersByTime(job < 6 ? 300 : 1_400)
  }
  expect(messages).toEqual(['8 libraries are ready. [Show jobs]'])
})

test('ends of many jobs are announced after some minutes although others wait', () => {
  const { note, messages, state } = announcer()
  state.unfinished = 40
  note(end(1))
  note(end(2))
  vi.advanceTimersByTime(60_000)
  expect(messages).toEqual([])
  vi.advanceTimersByTime(5 * 60_000)
  expect(messages).toEqual(['2 libraries are ready. [Show jobs]'])
})
