import { type LibraryId, libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { EventFeed } from './event-feed.ts'

/** The same catalog, which reports each change of a library to the feed, and to `onPrivate` each new library that is private. */
export function watchCatalog(
  catalog: InstallCatalog,
  feed: Pick<EventFeed, 'changed'>,
  onPrivate: (id: string) => void,
): InstallCatalog {
  const changed = (key: string, wasPublic = false) => feed.changed({ event: 'library', id: key, wasPublic })
  return {
    ...catalog,
    publish(facts, versions, removed) {
      const wasPrivate = catalog.find(parseLibraryId(facts.id))?.private
      catalog.publish(facts, versions, removed)
      changed(facts.id.toLowerCase())
      if (facts.private && !wasPrivate) onPrivate(facts.id)
    },
    replace(id, current, by) {
      catalog.replace(id, current, by)
      changed(libraryKey(id))
    },
    hide(id, at) {
      const wasPublic = catalog.find(id)?.private === false
      catalog.hide(id, at)
      changed(libraryKey(id), wasPublic)
    },
    show(id) {
      catalog.show(id)
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
