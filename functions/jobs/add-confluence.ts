import { AppError } from '../../shared/errors.ts'
import { allowedUrl, type HostRules } from '../../shared/network/allowed-hosts.ts'
import { siteOf } from '../../shared/schemas/confluence-site.ts'
import { type SourceOf, sourceLibrary } from '../../shared/sources/other-source.ts'
import type { TeamspaceCaller } from '../access/caller.ts'
import type { ConfluenceSites } from '../access/confluence-sites.ts'
import { requirePrivate } from './add-for-teamspace.ts'
import { type AddSourcePorts, addSource } from './add-source.ts'
import { inField } from './in-field.ts'
import { withOwnSuffix } from './own-suffix.ts'

export type AddConfluencePorts = AddSourcePorts & {
  sourceHosts: HostRules
  confluenceSites: Pick<ConfluenceSites, 'show'>
}

type Space = {
  spaceKey: string
  spaceName: string
  title: string
  description?: string | undefined
  /** Only these pages; the whole space if absent. */
  pageIds?: string[] | undefined
}

type ConfluenceRequest = Space & {
  cloudId: string
  siteUrl: string
  /** The id of the teamspace. */
  projectId?: string | undefined
}

const privateAs = 'Confluence libraries'

/**
 * Adds a space, or pages, of the teamspace's Confluence site as a private library. Throws forbidden for a developer, without a plan and for
 * another teamspace, validation_error for a host that may not be asked, not_configured for another site, and what `addSource` throws.
 */
export async function addConfluence(
  ports: AddConfluencePorts,
  caller: TeamspaceCaller,
  { cloudId, siteUrl, projectId, ...space }: ConfluenceRequest,
  requestId: string | undefined,
): Promise<{ project: string }> {
  const { teamspace } = caller
  await requirePrivate(ports, caller, privateAs)
  if (projectId !== undefined && projectId !== teamspace)
    throw new AppError('forbidden', 'projectId is not the teamspace of the key. Send its id, or omit it.')
  const sent = inField('siteUrl', () => siteOf(allowedUrl(siteUrl, ports.sourceHosts).href))
  const stored = await ports.confluenceSites.show(teamspace)
  if (!stored || !(stored.site === sent || isGateway(stored.site, cloudId)))
    throw new AppError(
      'not_configured',
      `The teamspace has no token for ${sent}. Save one as its Confluence site that may read the space ${space.spaceKey}.`,
    )
  return addSpace(ports, caller, stored.site, space, requestId)
}

/** Adds a space, or pages, of the site that the teamspace has. Throws as `addConfluence` does. */
export async function addTeamSpace(
  ports: AddConfluencePorts,
  caller: TeamspaceCaller,
  space: Space,
  requestId: string | undefined,
): Promise<{ project: string }> {
  await requirePrivate(ports, caller, privateAs)
  const stored = await ports.confluenceSites.show(caller.teamspace)
  if (!stored) throw new AppError('not_configured', 'The teamspace has no Confluence site. Save one with a token first.')
  return addSpace(ports, caller, stored.site, space, requestId)
}

function addSpace(
  ports: AddConfluencePorts,
  caller: TeamspaceCaller,
  site: string,
  space: Space,
  requestId: string | undefined,
): Promise<{ project: string }> {
  const source = sourceOf(site, space)
  const { owner, repo } = sourceLibrary(source)
  return addSource(ports, caller, { source, id: { owner, repo: withOwnSuffix(caller.teamspace, repo) }, privateAs, requestId })
}

/** Tokens with scopes are for the address that all sites of Confluence Cloud have in common. */
const isGateway = (site: string, cloudId: string): boolean =>
  site.replace(/^https?:/, '').toLowerCase() === `//api.atlassian.com/ex/confluence/${cloudId}/wiki`.toLowerCase()

function sourceOf(site: string, { spaceKey, spaceName, title, description, pageIds }: Space): SourceOf<'confluence'> {
  const what = pageIds ? { pageUrls: pageIds.map((id) => `${site}/pages/viewpage.action?pageId=${id}`) } : { spaceKey }
  return { kind: 'confluence', url: site, spaceName, title, description, ...what, includeSubPages: false }
}
