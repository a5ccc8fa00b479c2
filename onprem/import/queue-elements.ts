import { libraryKey, printLibraryId } from '../../shared/library.ts'
import type { App } from '../app.ts'
import type { Job } from '../jobs/job.ts'
import type { SkippedElement, Staged } from './stage-elements.ts'

type Ports = Pick<App, 'catalog' | 'jobs' | 'imports' | 'audit' | 'worker'>

export type Import = {
  force: boolean
  /** Who imports, for the audit log. */
  actor: string
  /** What jobs say of where their snippets come from. */
  origin: string
}

export type QueueAnswer = { queued: string[]; skipped: SkippedElement[] }

/** Queues elements of one body; those of ids that stand in `seen` are skipped, and all are added there. What is skipped is discarded. */
export async function queueElements(
  app: Ports,
  staged: Staged[],
  { force, actor, origin }: Import,
  seen: Set<string>,
): Promise<QueueAnswer> {
  const queued: string[] = []
  const left: (SkippedElement & { name: string })[] = []
  const chosen: { element: Staged; key: string; project: string }[] = []
  for (const element of staged) {
    const [key, project] = [keyOf(element), printLibraryId(element.id)]
    const skip = (reason: string) => void left.push({ project, reason, name: element.name })
    if (seen.has(key)) skip('It stands in this import more than once; the first one counts.')
    else if (!force && exists(app, element)) skip('already exists')
    else chosen.push({ element, key, project })
    seen.add(key)
  }
  const orders = chosen.map(({ element, key, project }) => ({
    key,
    project,
    kind: 'import' as const,
    request: { staged: element.name, origin },
  }))
  for (const [i, outcome] of app.jobs.enqueueAll(orders).entries()) {
    const { element, project } = chosen[i] as (typeof chosen)[number]
    if ('inTheWay' in outcome) left.push({ project, reason: busy(outcome.inTheWay), name: element.name })
    else {
      queued.push(project)
      app.imports.leave(element.name)
    }
  }
  if (queued.length > 0) app.worker.wake()
  for (const project of queued) app.audit.record({ actor, action: 'library.import', subject: project })
  for (const { name } of left) await app.imports.discard(name)
  return { queued, skipped: left.map(({ project, reason }) => ({ project, reason })) }
}

const keyOf = ({ id }: Staged): string => (id.version === undefined ? libraryKey(id) : `${libraryKey(id)}@${id.version}`)

const exists = ({ catalog }: Ports, { id }: Staged): boolean =>
  catalog.versions(id).some(({ version }) => version === (id.version ?? ''))

const busy = ({ kind, id }: Job): string =>
  kind === 'import'
    ? 'already queued'
    : `Its library has an unfinished job (${kind}); wait for it or cancel job ${id}, then import again.`
