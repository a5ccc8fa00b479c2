import { AppError } from '../errors.ts'
import { printLibraryId } from '../library.ts'
import type { RepositoryFacts, RepositoryState } from '../reading/git/repository-facts.ts'
import type { OpenedSource } from '../reading/opened-source.ts'
import type { IndexJob } from './index-job.ts'
import type { IndexingPorts } from './job-run.ts'

/**
 * Asks for the facts of the repository of a job. Facts that the host does not tell now stay as they were. Unless the request forces it, throws
 * access_denied if the name belongs to another repository than before, or if a host no longer redirects the old name of a renamed one.
 */
export async function repositoryState(
  { catalog, asksForFacts }: Pick<IndexingPorts, 'catalog' | 'asksForFacts'>,
  { library, request: { force } }: Pick<IndexJob, 'library' | 'request'>,
  source: OpenedSource,
  signal: AbortSignal,
): Promise<RepositoryState | undefined> {
  const { repository, url } = source
  if (!repository) return undefined
  const id = printLibraryId(library)
  const before = (await catalog.find(library))?.repository
  const read = asksForFacts() ? await repository.facts(signal) : undefined
  const isOther = read !== undefined && before?.hostId !== undefined && before.hostId !== read.hostId
  if (isOther && !force) throw otherRepository(id, url)
  const kept = isOther ? undefined : before
  const moved = repository.moved ?? (await earlierMove(kept, source, { id, force }))
  const { unavailable: _, movedTo: __, movedFrom: ___, ...facts } = kept ?? {}
  return { ...facts, ...known(read), address: url, ...(moved && { movedTo: moved.to, movedFrom: moved.from }) }
}

/** A refresh reads a moved repository from its new address, so the old one must be asked whether it still redirects. */
async function earlierMove(
  before: RepositoryState | undefined,
  { repository, url }: OpenedSource,
  { id, force }: { id: string; force: boolean },
): Promise<{ from: string; to: string } | undefined> {
  const { address, movedTo: to, movedFrom: from } = before ?? {}
  if (address !== url || to === undefined || from === undefined || !repository) return undefined
  if (await repository.isRedirected(from)) return { from, to }
  if (force) return undefined
  throw new AppError(
    'access_denied',
    `The repository of ${id} was renamed to ${to}, and its host no longer redirects the old name, which may belong to somebody else. The content of ${id} stays as it is. Add ${url} as ${to}, then delete ${id}.`,
  )
}

const otherRepository = (id: string, url: string): AppError =>
  new AppError(
    'access_denied',
    `${url} is another repository than the one that ${id} was read from: its host has given the name to a new one. The content of ${id} stays as it is. To read the new repository, add it again with force; otherwise delete ${id} and add the repository under its present name.`,
  )

const known = (facts: RepositoryFacts | undefined): Partial<RepositoryFacts> =>
  Object.fromEntries(Object.entries(facts ?? {}).filter(([, value]) => value !== undefined))
