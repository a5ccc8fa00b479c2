import type { LibraryState } from '../../shared/library.ts'
import { type VisiblePorts, visibleTo } from '../access/among-visible.ts'
import type { Caller } from '../access/caller.ts'
import { type Reader, readerOf } from '../access/reader.ts'
import type { Topic } from '../events/event-feed.ts'
import type { AgentRequest, AgentRequests } from '../store/agent-requests.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { redactSecrets } from '../support/redact-secrets.ts'
import { type JobAnswer, type JobAnswerPorts, jobAnswer } from './job-answer.ts'

type Viewer = Pick<Caller, 'holder' | 'only'>
type LibraryEvent = { id: string; state: LibraryState | 'deleted' }

export type LiveEventPorts = VisiblePorts &
  JobAnswerPorts & {
    agents: Pick<AgentRequests, 'list'>
    jobs: Pick<JobStore, 'get' | 'unserved'>
    catalog: Pick<InstallCatalog, 'find'>
  }

/** The state of a topic as JSON, at least as new as the cursor. */
export type LiveEventTexts = (topic: Topic, cursor: number, caller: Viewer) => string | undefined

const maxTexts = 100

/** Reads and writes each state once for all streams that send it. */
export function liveEventTexts(ports: LiveEventPorts): LiveEventTexts {
  const texts = new Map<string, string | undefined>()
  let textsOf = -1
  return (topic, cursor, caller) => {
    if (cursor > textsOf || texts.size >= maxTexts) texts.clear()
    textsOf = Math.max(textsOf, cursor)
    const name = `${topic.event} ${topic.id} ${caller.holder === undefined} ${readerOf(ports, caller)?.name}`
    if (!texts.has(name)) texts.set(name, JSON.stringify(liveEvent(ports, topic, caller)))
    return texts.get(name)
  }
}

/** Anonymous callers get no reports, errors without secrets, and nothing about agents. */
function liveEvent(all: LiveEventPorts, topic: Topic, caller: Viewer): JobAnswer | LibraryEvent | AgentRequest | undefined {
  if (topic.event === 'agent') return caller.holder && all.agents.list().find(({ client }) => client === topic.id)
  const ports = visibleTo(all, caller)
  if (topic.event === 'library') return libraryEvent(ports, topic, readerOf(all, caller))
  const job = ports.jobs.get(topic.id)
  if (!job) return undefined
  const answer = jobAnswer(ports, job)
  if (caller.holder) return answer
  return { ...answer, report: null, error: answer.error && redactSecrets(ports.settings)(answer.error) }
}

function libraryEvent(
  { catalog, jobs }: LiveEventPorts,
  { id: key, wasPublic }: Extract<Topic, { event: 'library' }>,
  reader: Reader | undefined,
): LibraryEvent | undefined {
  const [, owner = '', repo = ''] = key.split('/')
  const library = jobs.unserved.find(key) ?? catalog.find({ owner, repo })
  if (library) return { id: library.id, state: library.state }
  return reader?.sees({ id: key, private: !wasPublic }) === false ? undefined : { id: key, state: 'deleted' }
}
