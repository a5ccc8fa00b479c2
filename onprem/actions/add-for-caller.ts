import { AppError } from '../../shared/errors.ts'
import type { Platform } from '../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../shared/reading/git/repo-address.ts'
import type { VisiblePorts } from '../access/among-visible.ts'
import type { Caller } from '../access/caller.ts'
import { inField, type ParsePorts, type Queued } from '../jobs/enqueue-parse.ts'
import { parseForCaller } from './parse-for-caller.ts'

/** Queues the first parse of a repository of one platform. Throws duplicate_repo for a library with content, and what `parseForCaller` throws. */
export async function addForCaller(
  ports: ParsePorts & VisiblePorts,
  caller: Caller,
  repoUrl: string,
  platform: Platform,
): Promise<Queued> {
  const { id } = inField('docsRepoUrl', () => parseRepoUrl(repoUrl, ports.gitHosts(), platform))
  const known = caller.holder && ports.catalog.find(id)
  if (known && !known.imported) throw new AppError('duplicate_repo', `${known.id} exists already; refresh it to read it again.`)
  return parseForCaller(ports, caller, { repoUrl, force: false })
}
