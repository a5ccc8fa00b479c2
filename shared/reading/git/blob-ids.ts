/** The blob ids of the files of a commit, by path. */
export type BlobIds = ReadonlyMap<string, string>

/** The id of a link: its target is unknown until it is followed. */
export const linkId = 'link'

/**
 * Identifies the content of a path at a commit: a blob id, or '' for no file. Undefined if that depends on a link.
 */
export function contentAt(ids: BlobIds, path: string): string | undefined {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
    if (ids.get(path.slice(0, end)) === linkId) return undefined
  return ids.get(path) ?? ''
}
