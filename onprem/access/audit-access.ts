import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../shared/errors.ts'
import { shownPath } from '../../shared/http/log-requests.ts'
import { type LibraryId, libraryKey } from '../../shared/library.ts'
import type { AccessAudit } from '../accounts/access-audit.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { actorOf, type Caller, type CallerEnv } from './caller.ts'

type AuditAccessPorts = { accessAudit: AccessAudit; catalog: Pick<InstallCatalog, 'find'> }

/** Records uses of keys, reads of a library below /api/projects, and what callers with a key or session are refused. */
export const auditAccess = (ports: AuditAccessPorts) =>
  createMiddleware<CallerEnv>(async (c, next) => {
    const caller = c.get('caller')
    if (caller.holder?.via === 'key') ports.accessAudit.keyUsed(actorOf(caller), '')
    await next()
    const library = libraryInPath(c)
    if (c.res.status === 403 && caller.holder) {
      const subject = `${c.req.method} ${shownPath(c)}`
      ports.accessAudit.refused({
        actor: actorOf(caller),
        action: 'request.refuse',
        subject,
        library: library && libraryKey(library),
      })
    } else if (library && c.res.status === 404) noteHidden(ports, caller, library, c.error)
    else if (library && c.req.method === 'GET' && c.res.status === 200) noteRead(ports, caller, libraryKey(library))
  })

/** Records that a caller was answered with content of the library of this key. */
export function noteRead({ accessAudit }: Pick<AuditAccessPorts, 'accessAudit'>, caller: Caller, library: string): void {
  const actor = actorOf(caller)
  if (caller.holder?.via === 'key') accessAudit.keyUsed(actor, library)
  accessAudit.read(actor, library)
}

/** Records that a holder asked for a library that exists and is not shown to it: after the answer, which takes as long as for a missing one. */
export function noteHidden({ accessAudit, catalog }: AuditAccessPorts, caller: Caller, library: LibraryId, error: unknown): void {
  if (!caller.holder || !(error instanceof AppError) || error.code !== 'library_not_found') return
  setImmediate(() => {
    try {
      if (catalog.find(library) === undefined) return
    } catch {
      // The server has stopped meanwhile, or the database is damaged; the caller has its answer.
      return
    }
    accessAudit.refused({ actor: actorOf(caller), action: 'library.read', subject: libraryKey(library) })
  })
}

function libraryInPath(c: Context): LibraryId | undefined {
  const [, owner, repo] = /^\/api\/projects\/([^/]+)\/([^/]+)/.exec(c.req.path) ?? []
  return owner !== undefined && repo !== undefined ? { owner: decoded(owner), repo: decoded(repo) } : undefined
}

/** Hono does not decode the path. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
