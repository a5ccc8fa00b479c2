import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { cloudApi } from './cloud-api.ts'
import type { ConfluenceApi } from './confluence-api.ts'
import type { ConfluenceRequests } from './confluence-requests.ts'
import { dataCenterApi } from './data-center-api.ts'

/** Cloud is below `/wiki`, as some servers are, so another host is asked which it is. */
export async function openApi(requests: ConfluenceRequests): Promise<ConfluenceApi> {
  const { hostname, pathname } = new URL(requests.site)
  if (/(?:^|\.)atlassian\.(?:net|com)$/.test(hostname)) return cloudApi(requests)
  if (!pathname.endsWith('/wiki')) return dataCenterApi(requests)
  try {
    await requests.get('/api/v2/spaces?limit=1', z.object({ results: z.array(z.unknown()) }))
    return cloudApi(requests)
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return dataCenterApi(requests)
    throw error
  }
}
