import { z } from 'zod'
import type { Topic } from '../events/event-feed.ts'
import type { JobStore } from '../store/job-store.ts'
import type { ProjectCatalog } from '../store/sqlite-catalog.ts'
import { redactSecrets } from '../support/redact-secrets.ts'
import { type JobAnswer, type JobAnswerPorts, jobAnswer } from './job-answer.ts'

export const LibraryEvent = z.object({
  id: z.string(),
  state: z.enum(['initial', 'processing', 'finalized', 'error', 'deleted']),
})
type LibraryEvent = z.infer<typeof LibraryEvent>

export type LiveEventPorts = JobAnswerPorts & {
  jobs: Pick<JobStore, 'get' | 'unserved'>
  catalog: Pick<ProjectCatalog, 'find'>
}

/** The current state of a job or a library. Anonymous callers get no reports, and errors without secrets. */
export function liveEvent(ports: LiveEventPorts, topic: Topic, isAnonymous: boolean): JobAnswer | LibraryEvent | undefined {
  if (topic.event === 'library') return libraryEvent(ports, topic.id)
  const job = ports.jobs.get(topic.id)
  if (!job) return undefined
  const answer = jobAnswer(ports, job)
  if (!isAnonymous) return answer
  return { ...answer, report: null, error: answer.error && redactSecrets(ports.settings)(answer.error) }
}

function libraryEvent({ catalog, jobs }: LiveEventPorts, key: string): LibraryEvent {
  const [, owner = '', repo = ''] = key.split('/')
  const project = jobs.unserved.find(key) ?? catalog.find({ owner, repo })
  return project ? { id: project.id, state: project.state } : { id: key, state: 'deleted' }
}
