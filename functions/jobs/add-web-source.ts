import { AppError, invalidField } from '../../shared/errors.ts'
import { allowedUrl, type HostRules } from '../../shared/network/allowed-hosts.ts'
import type { GitAccess } from '../../shared/reading/git/git-access.ts'
import { openDownloads } from '../../shared/sources/download.ts'
import type { SourceOf } from '../../shared/sources/other-source.ts'
import type { TeamspaceCaller } from '../access/caller.ts'
import { type AddSourcePorts, addSource } from './add-source.ts'
import { inField, ofField } from './in-field.ts'

export type AddWebSourcePorts = AddSourcePorts & {
  sourceHosts: HostRules
  gitAccess: Omit<GitAccess, 'token'>
  /** Time limit of the request to the host. */
  probeMs: number
}

/** A caller chooses no limits on this half. */
export const webLimits = { maxPages: 2_000, maxDepth: 10 }

/** The first bytes show that a host responds. */
const probedBytes = 16 * 1024

export type WebSource = SourceOf<'openapi' | 'website' | 'llmstxt'>

/** The source with its addresses as they are read. `field` names the address in the request. Throws validation_error for a host that may not be asked. */
export function checkWebSource(sent: WebSource, field: string, hosts: HostRules): WebSource {
  const url = inField(field, () => allowedUrl(sent.url, hosts).href)
  if (sent.kind !== 'website' || sent.baseUrl === undefined) return { ...sent, url }
  return { ...sent, url, baseUrl: readBase(sent.baseUrl, url, hosts) }
}

/**
 * Adds a public source that `checkWebSource` has returned. `field` names the address in the request. Throws not_found if the host has no such
 * page, provider_unavailable, timeout, and what `addSource` throws.
 */
export async function addWebSource(
  ports: AddWebSourcePorts,
  caller: TeamspaceCaller,
  source: WebSource,
  { field, requestId }: { field: string; requestId: string | undefined },
): Promise<{ project: string }> {
  const probe = () => probeUrl(ports, source.url).catch((error: unknown) => Promise.reject(ofField(field, error)))
  return addSource(ports, caller, { source, probe, requestId })
}

function readBase(text: string, url: string, hosts: HostRules): string {
  const base = inField('websiteBaseUrl', () => allowedUrl(text, hosts))
  base.search = ''
  if (!url.startsWith(base.href)) throw invalidField('websiteBaseUrl', 'must be the beginning of websiteUrl')
  return base.href
}

/** A host that refuses or is busy is left to the worker, which tries again. */
async function probeUrl({ sourceHosts, gitAccess, probeMs }: AddWebSourcePorts, url: string): Promise<void> {
  const downloads = await openDownloads({ ...gitAccess, ...sourceHosts }, probeMs)
  try {
    const request = { maxBytes: probedBytes, cutsOff: true, timeMs: probeMs, signal: new AbortController().signal }
    const { status } = await downloads.get(url, request)
    if (status === 404 || status === 410)
      throw new AppError('not_found', `${new URL(url).host} responded with status ${status} to ${url}. Check the address.`)
  } finally {
    downloads.close()
  }
}
