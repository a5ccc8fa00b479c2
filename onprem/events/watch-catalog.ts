import { type LibraryId, libraryKey } from '../../shared/library.ts'
import type { ProjectCatalog } from '../store/sqlite-catalog.ts'
import type { EventFeed } from './event-feed.ts'

/** The same catalog, which reports each change of a library to the feed. */
export function watchCatalog(catalog: ProjectCatalog, feed: Pick<EventFeed, 'changed'>): ProjectCatalog {
  const changed = (key: string, wasPublic = false) => feed.changed({ event: 'library', id: key, wasPublic })
  return {
    ...catalog,
    publish(facts, versions, removed) {
      catalog.publish(facts, versions, removed)
      changed(facts.id.toLowerCase())
    },
    replace(id, current, by) {
      catalog.replace(id, current, by)
      changed(libraryKey(id))
    },
    remove(id: LibraryId) {
      const before = catalog.find(id)
      const retired = catalog.remove(id)
      if (before) changed(libraryKey(id), !before.private)
      return retired
    },
  }
}
