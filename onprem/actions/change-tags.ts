import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryKey, parseLibraryId, shownId } from '../../shared/library.ts'
import { Tag } from '../../shared/schemas/tag.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { findLibrary } from '../store/catalog/visible-libraries.ts'
import type { JobStore } from '../store/jobs/job-store.ts'

const maxTags = 20

const Tags = z.array(Tag).max(maxTags).default([])
export const TagChange = z.strictObject({ add: Tags, remove: Tags })
type TagChange = z.infer<typeof TagChange>

type TagPorts = {
  catalog: Pick<InstallCatalog, 'find' | 'setTags'>
  jobs: Pick<JobStore, 'unserved'>
  audit: Pick<AuditLog, 'record'>
  atomically: Atomically
}

/** Adds and removes tags of a library, and returns those that it has then. Throws library_not_found, and validation_error for too many tags. */
export function changeTags(ports: TagPorts, caller: Caller, { owner, repo }: LibraryId, { add, remove }: TagChange): string[] {
  const { id, tags: before } = findTagged(ports, { owner, repo })
  const removed = new Set(remove)
  const tags = [...new Set([...before, ...add])].filter((tag) => !removed.has(tag)).sort()
  if (tags.length > maxTags)
    throw new AppError('validation_error', `${id} would have ${tags.length} tags. It can have ${maxTags}: remove some.`)
  if (tags.join('\n') === before.join('\n')) return tags
  ports.atomically(() => {
    ports.catalog.setTags(parseLibraryId(id), tags)
    ports.audit.record({ actor: actorOf(caller), action: 'library.tag', subject: id })
  })
  return tags
}

function findTagged({ catalog, jobs }: TagPorts, id: LibraryId) {
  if (!catalog.find(id) && jobs.unserved.find(libraryKey(id)))
    throw new AppError('library_not_found', `${shownId(id)} has no content yet. It can have tags when it has been added.`)
  return findLibrary(catalog, id)
}
