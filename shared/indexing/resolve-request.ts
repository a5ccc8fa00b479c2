import { AppError } from '../errors.ts'
import { versionName } from '../library.ts'
import { ancestors } from '../reading/discover/selection.ts'
import { findRef, type RemoteRefs, unknownRefs } from '../reading/git/remote-refs.ts'
import type { JobRequest } from './index-job.ts'
import type { SourceSettings } from './indexing-catalog.ts'
import type { StoredVersions } from './source-settings.ts'
import { splitTree } from './split-tree.ts'

/** Names of an address that an error lists. */
const maxTried = 3

type Field = { path: string; message: string }

/**
 * The request with its branch and versions as the host writes them, and with what `tree` names. Throws tag_not_found, whose `fields` name those
 * that do not exist. A version that is stored or that the project file names may be missing: the report of the job lists it.
 */
export function resolveRequest(
  remote: RemoteRefs,
  { tree, ...sent }: JobRequest,
  stored: StoredVersions,
  { named = [] }: SourceSettings,
): JobRequest {
  const mayBeMissing = new Set([...stored.keys(), ...named.map(versionName)])
  const missing: (Field & { ref: string })[] = []
  const resolve = (ref: string, path: string): string => {
    const existingRef = spelling(remote, ref)
    if (existingRef === undefined && !(path !== 'branch' && mayBeMissing.has(versionName(ref))))
      missing.push({ path, ref, message: unknownRefs(remote, [ref]) })
    return existingRef ?? ref
  }
  const request = { ...sent, ...(tree !== undefined && (splitTree(remote, tree) ?? rejectTree(remote, tree))) }
  const { branch, versions } = request
  const resolved = {
    ...request,
    ...(branch !== undefined && { branch: resolve(branch, 'branch') }),
    ...(versions && { versions: versions.map((ref, i) => resolve(ref, `versions.${i}`)) }),
  }
  if (missing.length === 0) return resolved
  const refs = missing.map(({ ref }) => ref)
  throw namesNotFound(
    unknownRefs(remote, refs),
    missing.map(({ path, message }) => ({ path, message })),
  )
}

function rejectTree(remote: RemoteRefs, tree: string): never {
  const message = unknownRefs(remote, ancestors(tree).slice(0, maxTried))
  throw namesNotFound(message, [{ path: 'repoUrl', message }])
}

/** `fields` are the names in the request that do not exist. */
export const namesNotFound = (message: string, fields: Field[]): AppError =>
  new AppError('tag_not_found', `${message} Nothing was changed.`, { fields: { fields } })

/** Names as the host writes them; those that do not exist as they are. */
export const spellings = (remote: RemoteRefs, refs: string[]): string[] => refs.map((ref) => spelling(remote, ref) ?? ref)

/** `v1.1.0` for `1.1.0`, if that is the tag; else the name as it is. Undefined if it does not exist. */
function spelling(remote: RemoteRefs, ref: string): string | undefined {
  try {
    const { name } = findRef(remote, ref)
    return versionName(name) === versionName(ref) ? ref : name
  } catch (error) {
    if (error instanceof AppError && error.code === 'tag_not_found') return undefined
    throw error
  }
}
