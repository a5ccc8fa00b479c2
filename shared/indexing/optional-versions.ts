import { versionName } from '../library.ts'
import type { Skipped } from '../reading/discover/skipped.ts'
import type { RemoteRefs } from '../reading/git/remote-refs.ts'
import { excerpt } from '../text/excerpt.ts'
import type { JobRequest } from './index-job.ts'

/** The request with the tags of its optional versions among its versions, and the optional versions without a tag. */
export function withOptionalVersions(
  remote: RemoteRefs,
  { optionalVersions = [], ...request }: JobRequest,
): { request: JobRequest; missing: Skipped[] } {
  const found = optionalVersions.map((version) => ({ version, tag: tagOf(remote, version) }))
  const tags = found.flatMap(({ tag }) => tag ?? [])
  const missing = found.filter(({ tag }) => tag === undefined)
  return {
    request: tags.length === 0 ? request : { ...request, versions: [...new Set([...(request.versions ?? []), ...tags])] },
    missing: missing.map(({ version }) => ({
      path: `@${versionName(version)}`,
      reason: `The repository has no tag of version ${excerpt(version)}.`,
    })),
  }
}

const tagPrefix = 'refs/tags/'

/**
 * The tag of a version: `1.2.0`, `v1.2.0`, or one that ends in it, such as `core@1.2.0` and `release-1.2.0`. A repository of several packages
 * may have several of these; they mean the version only if they are the same commit.
 */
function tagOf({ refs }: RemoteRefs, version: string): string | undefined {
  const number = version.replace(/^v(?=\d)/, '')
  const exact = [`v${number}`, number].find((tag) => refs.has(`${tagPrefix}${tag}`))
  if (exact !== undefined) return exact
  const named = [...refs].filter(([ref]) => ref.startsWith(tagPrefix) && ref.endsWith(number) && hasPrefix(ref, number))
  const isOne = new Set(named.map(([, commit]) => commit)).size === 1
  return isOne ? named[0]?.[0].slice(tagPrefix.length) : undefined
}

const hasPrefix = (ref: string, number: string): boolean =>
  /^[a-z]+$|[@/=_-]v?$/i.test(ref.slice(tagPrefix.length, ref.length - number.length))
