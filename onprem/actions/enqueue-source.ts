import { AppError } from '../../shared/errors.ts'
import { allowedUrl } from '../../shared/network/allowed-hosts.ts'
import { checkConfluence } from '../../shared/sources/confluence/check-confluence.ts'
import { type OtherSource, sourceAddress, sourceLibrary } from '../../shared/sources/other-source.ts'
import { requireVisible } from '../access/among-visible.ts'
import type { Caller } from '../access/caller.ts'
import { mayReplace, whyNot } from '../access/may-replace.ts'
import { keyTest } from '../accounts/library-pattern.ts'
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
  requireKey(caller)
  const { href } = inField(field, () => allowedUrl(sent.url, ports.sourceHosts))
  const source = sent.kind === 'confluence' ? checkConfluence({ ...sent, url: href }) : { ...sent, url: href }
  return queueSource(ports, caller, source, force)
}

/** Throws forbidden for a caller without a key. */
export function requireKey(caller: Caller): void {
  if (isAnonymous(caller))
    throw new AppError(
      'forbidden',
      'Without an API key only public repositories can be added. Send a key of this install (carrel_op_…).',
    )
}

/** The caller chooses the name of a library of Confluence, so rules about names do not hold for what the stored token reads. Throws forbidden. */
function rejectOtherName({ libraryRules }: ParsePorts, { holder }: Caller): void {
  if (!holder || holder.role === 'admin') return
  const isOfConfluence = keyTest('/confluence/*')
  const isRuled = libraryRules
    .current()
    .list.some(({ pattern, access }) => access !== 'public' && isOfConfluence(`/${pattern.split('/')[1]}/*`))
  if (isRuled || holder.libraries)
    throw new AppError('forbidden', 'Rules or your key limit who reads Confluence here, so an admin adds its libraries.')
}

/** Queues the reading of a source whose address is checked. Throws forbidden, duplicate_repo, job_active. */
export function queueSource(ports: ParsePorts, caller: Caller, source: OtherSource, force: boolean): Queued {
  const library = sourceLibrary(source)
  requireVisible(ports, caller, library)
  if (source.kind === 'confluence') rejectOtherName(ports, caller)
  if (!mayReplace(ports, caller, library)) throw new AppError('forbidden', whyNot(ports, library, 'add it again'))
  const url = sourceAddress(source)
  const request = { repoUrl: url, source, force, anonymous: false }
  return queueParse(ports, caller, { webUrl: url, baseUrl: url }, library, request, parseQueued)
}
