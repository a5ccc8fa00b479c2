import type { Lines } from '../text/file-of-address.ts'
import { blobUrl } from './git/platform-paths.ts'
import type { RepoAddress } from './git/repo-address.ts'

/** The repository that a file belongs to, or the address of its page. Plain data, because threads get it. */
export type FileAddress = Pick<RepoAddress, 'platform' | 'webUrl'> | { pageUrl: string }

/** The address that a snippet of a file links to. That of a file in a repository names its lines, and that of a PDF, whose lines are its pages, the first. */
export const fileUrl = (address: FileAddress, commit: string, path: string, lines?: Lines): string =>
  'pageUrl' in address ? pageUrl(address.pageUrl, path, lines?.first) : blobUrl(address, commit, path, lines)

/** The address of one file of a source; `urls` has those of pages that are no files of a repository. */
export function addressOf(source: FileAddress, urls: ReadonlyMap<string, string> | undefined, path: string): FileAddress {
  const pageUrl = urls?.get(path)
  return pageUrl === undefined ? source : { pageUrl }
}

const pageUrl = (url: string, path: string, line: number | undefined): string =>
  line !== undefined && line > 0 && /\.pdf$/i.test(path) ? `${url}#page=${line}` : url
