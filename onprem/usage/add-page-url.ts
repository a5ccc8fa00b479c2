import { AppError } from '../../shared/errors.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../shared/reading/git/repo-address.ts'
import type { Platform } from '../../shared/schemas/git-host.ts'
import type { InstallLibrary } from '../store/catalog/install-library.ts'

const newFileUrl = (platform: Platform, webUrl: string, ref: string): string | undefined =>
  (
    ({ github: `${webUrl}/new/${ref}`, gitlab: `${webUrl}/-/new/${ref}`, gitea: `${webUrl}/_new/${ref}` }) as Partial<
      Record<Platform, string>
    >
  )[platform]

/** The page of the git host that adds a file to the repository of a library. Null if the settings name no such host, its branch is not known, or hosts of its kind have no such page. */
export function addPageUrl(
  gitHosts: GitHosts,
  { sourceUrl, branch }: Pick<InstallLibrary, 'sourceUrl' | 'branch'>,
): string | null {
  if (sourceUrl === '' || branch === '') return null
  const ref = branch.split('/').map(encodeURIComponent).join('/')
  try {
    const { webUrl, platform } = parseRepoUrl(sourceUrl, gitHosts)
    return newFileUrl(platform, webUrl, ref) ?? null
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
