import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { type OpenRepositoryPorts, openRepository } from '../../shared/indexing/open-repository.ts'
import type { LibraryId } from '../../shared/library.ts'
import { fairLimit } from '../../shared/time/fair-limit.ts'
import { type SourcePorts, sourceAnswer } from './change-source.ts'

export const RemoteNames = z
  .object({
    tags: z.array(z.string()).describe('Newest number first'),
    branches: z.array(z.string()),
    omitted: z.int().describe('Number of tags and branches beyond the first 2,000 of each'),
  })
  .meta({ id: 'RemoteNames' })

export type RemoteNamesPorts = SourcePorts & OpenRepositoryPorts

const maxNames = 2_000
const maxMs = 10_000
const silent = { log: () => undefined, stage: () => undefined }
const { compare } = new Intl.Collator('en', { numeric: true })

/** Asks the host of a library for its tags and branches, for a few callers at a time. */
export function remoteNames() {
  const line = fairLimit({ maxRunning: 4, maxWaiting: 20, maxWaitMs: maxMs, rejection: tooMany })
  /** Throws library_not_found, validation_error for an imported library, and what `openRemote` throws. */
  return (ports: RemoteNamesPorts, id: LibraryId, signal: AbortSignal): Promise<z.infer<typeof RemoteNames>> =>
    line.run(async () => {
      const { repoUrl } = sourceAnswer(ports, id)
      if (ports.catalog.settings(id).source) return { tags: [], branches: [], omitted: 0 }
      const limits = { ...ports.limits, probeMs: Math.min(maxMs, ports.limits.probeMs) }
      const source = await openRepository({ ...ports, limits }, { repoUrl, anonymous: false }, silent, signal)
      const named = (prefix: string) =>
        [...source.refs.keys()].filter((ref) => ref.startsWith(prefix)).map((ref) => ref.slice(prefix.length))
      const tags = named('refs/tags/').sort((a, b) => compare(b, a))
      const branches = named('refs/heads/').sort(compare)
      const omitted = Math.max(0, tags.length - maxNames) + Math.max(0, branches.length - maxNames)
      return { tags: tags.slice(0, maxNames), branches: branches.slice(0, maxNames), omitted }
    }, signal)
}

const tooMany = (): AppError =>
  new AppError('rate_limit_exceeded', 'Too many repositories are being asked for their tags. Try again in a few seconds.', {
    retryAfterMs: 5_000,
  })
