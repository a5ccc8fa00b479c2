import { findRef, type RemoteRefs } from '../reading/git/remote-refs.ts'
import type { SourceSettings, StoredVersion } from './indexing-catalog.ts'
import { ruleVersions } from './rule-versions.ts'
import { versionsToIndex } from './source-settings.ts'

type Served = { settings: SourceSettings; versions: ReadonlyMap<string, StoredVersion> }

/**
 * True if a refresh would find nothing to do: all versions that it would index are stored with the commits of the remote, and none expires by
 * the rule for tags.
 */
export function hasSameCommits(
  remote: RemoteRefs,
  request: Pick<SourceSettings, 'branch' | 'versions'>,
  { settings, versions: stored }: Served,
): boolean {
  const current = stored.get('')
  const { projectBranch } = settings
  const isHead = (ref: string | undefined, commit: string) => commitOf(remote, ref) === commit
  // The project file, in the default branch, may name another branch if that has moved.
  if (projectBranch !== undefined && !isHead(undefined, projectBranch.namedBy)) return false
  if (current?.ref !== nameOf(remote, request.branch ?? projectBranch?.name) || !isHead(current?.ref, current?.commit ?? ''))
    return false
  const rule = ruleVersions(remote.refs.keys(), stored, settings, request.versions)
  if (rule.expired.size > 0) return false
  for (const [version, ref] of versionsToIndex({ job: { request } }, stored, settings, rule.wanted)) {
    const kept = stored.get(version)
    if (!kept || !isHead(ref, kept.commit)) return false
  }
  return true
}

const commitOf = (remote: RemoteRefs, ref: string | undefined) => found(remote, ref)?.commit
const nameOf = (remote: RemoteRefs, ref: string | undefined) => found(remote, ref)?.name

function found(remote: RemoteRefs, ref: string | undefined) {
  try {
    return findRef(remote, ref)
  } catch {
    return undefined
  }
}
