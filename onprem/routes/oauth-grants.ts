import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { AppError } from '../../shared/errors.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { browserUrl } from '../access/browser-url.ts'
import { actorOf, type Caller, type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import { answerAddress, type OauthPorts } from './oauth.ts'

const maxBodyBytes = 1_024

const RequestId = z.object({ id: z.string().min(1).max(100) })
const RequestAnswer = z.object({
  client: z.string().describe('The name that the client gives itself'),
  returnsTo: z.string().describe('Scheme and host of the address that gets the answer'),
})
const Decision = z.strictObject({ allow: z.boolean() })
const DecisionAnswer = z.object({ next: z.string().describe('The address to which the browser goes') })
const GrantList = z.object({
  grants: z.array(
    z.object({
      id: z.string(),
      client: z.string(),
      createdAt: z.iso.datetime(),
      lastUsedAt: z.iso.datetime().nullable().describe('To the minute'),
    }),
  ),
})
const Message = z.object({ message: z.string() })

type OauthGrantPorts = RightPorts & OauthPorts & { audit: Pick<AuditLog, 'record'>; atomically: Atomically }

/** Decisions of users about clients of MCP, and what they have allowed. */
export const oauthGrantRoutes = (ports: OauthGrantPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/oauth/requests/:id',
      describeRoute({
        operationId: 'getClientRequest',
        tags: ['Accounts'],
        summary: 'Get the request of an MCP client',
        description: 'A client asks to read in the name of the user, who decides on a page. Needs a session.',
        responses: { 200: json(RequestAnswer, 'The request') },
        errors: [404],
      }),
      requireRight(ports, 'change'),
      input('param', RequestId),
      (c) => {
        const request = ports.authorizations.find(c.req.valid('param').id)
        if (!request) throw noRequest()
        requireSession(c.get('caller'))
        const { protocol, host } = new URL(request.redirectUri)
        return c.json({ client: request.client.name, returnsTo: `${protocol}//${host}` })
      },
    )
    .post(
      '/oauth/requests/:id',
      describeRoute({
        operationId: 'decideClientRequest',
        tags: ['Accounts'],
        summary: 'Allow or refuse the request of an MCP client',
        description: 'Ends the request. Needs a session.',
        responses: { 200: json(DecisionAnswer, 'Decided') },
        errors: [404],
      }),
      requireRight(ports, 'change'),
      jsonBody(maxBodyBytes),
      input('param', RequestId),
      input('json', Decision),
      (c) => {
        const caller = c.get('caller')
        const { id } = c.req.valid('param')
        const request = ports.authorizations.find(id)
        if (!request) throw noRequest()
        const userId = requireSession(caller)
        const { redirectUri, state, client } = request
        const about = { state, iss: browserUrl(ports, c) }
        const { allow } = c.req.valid('json')
        if (allow) ports.audit.record({ actor: actorOf(caller), action: 'client.allow', subject: client.name })
        ports.authorizations.end(id)
        if (!allow) return c.json({ next: answerAddress(redirectUri, { error: 'access_denied', ...about }) })
        const code = ports.authorizations.allow(request, userId)
        return c.json({ next: answerAddress(redirectUri, { code, ...about }) })
      },
    )
    .get(
      '/account/grants',
      describeRoute({
        operationId: 'listGrants',
        tags: ['Accounts'],
        summary: 'List the MCP clients that read in your name',
        description: 'Lists the clients that you have allowed, newest first.',
        responses: { 200: json(GrantList, 'Clients') },
      }),
      requireRight(ports, 'change'),
      (c) => {
        const grants = ports.oauth.list(c.get('caller').holder?.userId ?? '')
        return c.json({ grants: grants.map(({ id, client, createdAt, lastUsedAt }) => ({ id, client, createdAt, lastUsedAt })) })
      },
    )
    .delete(
      '/account/grants/:id',
      describeRoute({
        operationId: 'endGrant',
        tags: ['Accounts'],
        summary: 'End the access of an MCP client',
        description: 'Its tokens are not valid from the next request on.',
        responses: { 200: json(Message, 'Access ended') },
        errors: [404],
      }),
      requireRight(ports, 'change'),
      input('param', RequestId),
      (c) => {
        const caller = c.get('caller')
        const { id } = c.req.valid('param')
        const userId = caller.holder?.userId ?? ''
        const grant = ports.oauth.list(userId).find((each) => each.id === id)
        if (!grant) throw new AppError('not_found', 'You have allowed no client with this id.')
        ports.atomically(() => {
          ports.oauth.end(userId, id)
          ports.audit.record({ actor: actorOf(caller), action: 'client.end', subject: grant.client })
        })
        return c.json({ message: `${grant.client} has no access any more.` })
      },
    )

/** A key cannot allow others what its user did not. Returns the id of the user. */
function requireSession({ holder }: Caller): string {
  if (holder?.via === 'session' && holder.userId !== null) return holder.userId
  throw new AppError('forbidden', 'Sign in in a browser to decide about this client.')
}

const noRequest = (): AppError =>
  new AppError('not_found', 'This request has ended, or was decided before. Begin again in your client.')
