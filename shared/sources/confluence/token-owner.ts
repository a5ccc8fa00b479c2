import { z } from 'zod'
import { AppError } from '../../errors.ts'
import type { ConfluenceCredentials } from '../../schemas/confluence-site.ts'
import { visibleText } from '../../text/visible-text.ts'
import { type DownloadAccess, openDownloads } from '../download.ts'
import { confluenceRequests } from './confluence-requests.ts'

const User = z.object({ type: z.string().optional(), displayName: z.string() })

/** Asks a site whose token this is; null without a token. Throws not_configured if the site rejects it, and what a download throws. */
export async function confluenceOwner(
  access: DownloadAccess,
  site: string,
  credentials: ConfluenceCredentials | undefined,
  { timeMs, signal }: { timeMs: number; signal: AbortSignal },
): Promise<string | null> {
  const downloads = await openDownloads(access, timeMs)
  const get: typeof downloads.get = (url, request) => downloads.get(url, { ...request, timeMs })
  try {
    const { type, displayName } = await confluenceRequests({ get }, site, credentials, signal).get('/rest/api/user/current', User)
    if (type !== 'anonymous') return visibleText(displayName).slice(0, 200)
    if (!credentials) return null
    throw new AppError(
      'not_configured',
      `${new URL(site).host} does not know the token. Create a new one there, and save it in the settings of Confluence.`,
    )
  } finally {
    downloads.close()
  }
}
