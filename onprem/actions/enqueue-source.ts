import { AppError } from '../../shared/errors.ts'
import { libraryKey } from '../../shared/library.ts'
import { allowedUrl } from '../../shared/network/allowed-hosts.ts'
import { type OtherSource, sourceLibrary } from '../../shared/sources/other-source.ts'
import type { Caller } from '../access/caller.ts'
import { mayReplace, notYours } from '../access/may-replace.ts'
import { isAnonymous, type ParsePorts, parseQueued, type Queued, queueParse } from './queue-parse.ts'
import { inField } from './read-parse-request.ts'

/**
 * Queues the first reading of a source that is no repository, or a new one with other settings. `field` names the address in the request.
 * Throws forbidden without a key or for another caller's library, validation_error, duplicate_repo, job_active.
 */
export function enqueueSource(
  ports: ParsePorts,
  caller: Caller,
  sent: OtherSource,
  { field, force }: { field: string; force: boolean },
): Queued {
  if (isAnonymous(caller)) throw needsKey()
  const { href } = inField(field, () => allowedUrl(sent.url, ports.sourceHosts))
  const source = { ...sent, url: href }
  const library = sourceLibrary(source)
  if (!mayReplace(ports, caller, library)) throw new AppError('forbidden', notYours(library, 'add it again'))
  const address = { webUrl: href, baseUrl: href }
  return queueParse(ports, caller, address, library, { repoUrl: href, source, force, anonymous: false }, parseQueued)
}

const needsKey = (): AppError =>
  new AppError('forbidden', 'Without an API key only public repositories can be added. Send a key of this install (carrel_op_…).')
