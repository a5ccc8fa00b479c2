import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { input } from '../../../shared/api/input.ts'
import { AppError } from '../../../shared/errors.ts'
import { jsonBody } from '../../../shared/http/json-body.ts'
import { allowedUrl, type HostRules } from '../../../shared/network/allowed-hosts.ts'
import { siteOf } from '../../../shared/schemas/confluence-site.ts'
import { UserName } from '../../../shared/schemas/git-host-list.ts'
import type { Audit } from '../../access/audit.ts'
import type { ConfluenceSites } from '../../access/confluence-sites.ts'
import { requirePrivatePlan } from '../../jobs/add-for-teamspace.ts'
import { inField } from '../../jobs/in-field.ts'
import { admin, type GuardPorts, member } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { changing } from '../actions/manage-libraries.ts'
import { ConfluenceSiteAnswer, Message } from './answers.ts'
import { maxBodyBytes } from './body-limit.ts'
import { Token } from './git-tokens.ts'
import { actingMember } from './library-in-path.ts'

const Site = z.strictObject({
  siteUrl: z
    .string()
    .min(1)
    .max(2_000)
    .describe('Address of the site; of a token with scopes https://api.atlassian.com/ex/confluence/<cloud id>/wiki'),
  user: UserName.optional().describe('The e-mail address of the account; absent for a token that is sent alone'),
  token: Token,
})

type Ports = GuardPorts & { confluenceSites: ConfluenceSites; sourceHosts: HostRules; audit: Pick<Audit, 'begin'> }

/** The Confluence site that a teamspace reads. No route answers its token. */
export const confluenceSiteRoutes = (ports: Ports) =>
  new Hono<SessionEnv>()
    .get(
      '/teamspaces/:team/confluence',
      member(ports),
      describeRoute({
        operationId: 'getConfluenceSite',
        tags: ['Libraries'],
        summary: 'Show the Confluence site of a teamspace',
        description: 'With the last characters of its token. No request returns the token.',
        responses: { 200: json(ConfluenceSiteAnswer, 'The site') },
      }),
      async (c) => c.json({ confluence: (await ports.confluenceSites.show(c.get('teamspace').id)) ?? null }),
    )
    .put(
      '/teamspaces/:team/confluence',
      admin(ports),
      describeRoute({
        operationId: 'saveConfluenceSite',
        tags: ['Libraries'],
        summary: 'Save the Confluence site of a teamspace',
        description:
          'Its libraries are read with this token, which is sent to this address only. Replaces another site. Requires a paid plan.',
        responses: { 200: json(Message, 'It is saved') },
      }),
      jsonBody(maxBodyBytes),
      input('json', Site),
      async (c) => {
        const { siteUrl, user, token } = c.req.valid('json')
        const { id, plan } = c.get('teamspace')
        requirePrivatePlan(plan, 'Confluence libraries')
        const site = inField('siteUrl', () => siteOf(allowedUrl(siteUrl, ports.sourceHosts).href))
        await changing(ports, actingMember(c), 'saveConfluenceSite', { after: { name: site } }, () =>
          ports.confluenceSites.save(id, { site, user, token }),
        )
        return c.json({ message: `The token for ${site} is saved.` })
      },
    )
    .delete(
      '/teamspaces/:team/confluence',
      admin(ports),
      describeRoute({
        operationId: 'deleteConfluenceSite',
        tags: ['Libraries'],
        summary: 'Delete the Confluence site of a teamspace',
        description: 'Its libraries keep their content, and are not refreshed any more.',
        responses: { 200: json(Message, 'It is deleted') },
      }),
      async (c) => {
        const { id } = c.get('teamspace')
        const shown = await ports.confluenceSites.show(id)
        if (!shown) throw new AppError('not_found', 'The teamspace has no Confluence site.')
        await changing(ports, actingMember(c), 'deleteConfluenceSite', { before: { name: shown.site } }, () =>
          ports.confluenceSites.remove(id),
        )
        return c.json({ message: `The token for ${shown.site} is deleted.` })
      },
    )
