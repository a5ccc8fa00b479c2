import { ApiError } from './api-error.ts'

/** The labels of fields of library settings and policies. */
const labels: Record<string, string> = {
  branch: 'Branch',
  versions: 'Versions',
  folders: 'Folders',
  excludeFolders: 'Excluded folders',
  excludeFiles: 'Excluded files',
  languages: 'Languages',
  apiReference: 'API reference',
  public_repos: 'Public repositories',
  websites: 'Websites',
  llmstxt: 'llms.txt files',
  private_sources: 'Private sources of your teamspace',
  confluence: 'Confluence',
  uploaded_files: 'Uploaded files',
  mode: 'Libraries',
  allowedLibraries: 'Allowed libraries',
  blockedLibraries: 'Never found',
  exceptedLibraries: 'Always found',
  minTrustScore: 'Minimum trust score',
  maxAgeDays: 'Maximum days since the last update',
  minStars: 'Minimum stars of a repository',
}

/** Values that a change sets were changed by another client. Nothing was stored. */
export class Conflict extends Error {
  readonly names: readonly string[]
  constructor(names: readonly string[]) {
    super(
      `${names.map((name) => labels[name] ?? name).join(', ')} changed since this page was loaded, in another tab or by another admin. Nothing was saved. Reload the page to see what is stored.`,
    )
    this.name = 'Conflict'
    this.names = names
  }
}

/**
 * Sends a change that is based on the state with this ETag. If only values have changed that it does not set, it is sent again over those. `ownOf`
 * returns the names that it sets, among those of the server. Throws Conflict.
 */
export async function changeState<Answer>(
  etag: string,
  ownOf: (names: readonly string[]) => readonly string[],
  send: (etag: string) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await send(etag)
  } catch (error) {
    if (!(error instanceof ApiError) || error.etag === undefined) throw error
    const own = ownOf(error.names)
    if (own.length > 0) throw new Conflict(own)
    return changeState(error.etag, ownOf, send)
  }
}
