import type { RequestUsage } from '../../shared/usage/record-usage.ts'
import type { Surface } from '../cloud/hosted-client.ts'

/** The hosted service counts the use of its libraries by surface and client. It learns nothing else about the caller. */
export const hostedSurface = (usage: RequestUsage | undefined): Surface => {
  if (usage === undefined || usage.surface === 'txt') return {}
  const source = usage.surface === 'page' ? 'web' : usage.surface
  return usage.surface === 'mcp' && usage.client !== undefined ? { source, client: usage.client } : { source }
}
