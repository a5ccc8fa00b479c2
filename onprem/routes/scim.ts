import { createHash, timingSafeEqual } from 'node:crypto'
import type { BlockList } from 'node:net'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { errorResponses } from '../../shared/api/error-responses.ts'
import { clientAddress } from '../../shared/http/client-address.ts'
import { shownPath } from '../../shared/http/log-requests.ts'
import { compressedBody, isCompressed, readBody } from '../../shared/http/read-body.ts'
import { bearerKey } from '../../shared/http/request-key.ts'
import { type ErrorResponseStatus, withDocs } from '../../shared/http/route-docs.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'
import { browserUrl } from '../access/browser-url.ts'
import type { CallerEnv } from '../access/caller.ts'
import type { AccessAudit } from '../accounts/access-audit.ts'
import type { Attempts } from '../accounts/attempts.ts'
import type { ProvisionedGroups } from '../accounts/provisioned-groups.ts'
import type { ProvisionedUsers } from '../accounts/provisioned-users.ts'
import { groupSchema, listGroups, shownGroups } from '../scim/group-resource.ts'
import type { ScimIssuer } from '../scim/issuer.ts'
import { listAnswer, listQuery, PageQuery, type Resource, ShownQuery, shownIn } from '../scim/list-answer.ts'
import { createGroup, deleteGroup, findGroup, type ManageGroupsPorts, patchGroup, replaceGroup } from '../scim/manage-groups.ts'
import { createUser, deleteUser, findUser, type ManageUsersPorts, patchUser, replaceUser } from '../scim/manage-users.ts'
import { errorSchema, invalid, ScimError, scimErrorResponse } from '../scim/scim-error.ts'
import { oneOf, resourceTypes, schemas, serviceProviderConfig } from '../scim/service-provider-config.ts'
import { listUsers, shownUsers, userSchema } from '../scim/user-resource.ts'
import type { Issuers } from '../sso/issuers.ts'
import { scimClaimOf } from '../sso/read-claims.ts'

type ScimPorts = ManageUsersPorts &
  ManageGroupsPorts & {
    provisionedUsers: ProvisionedUsers
    provisionedGroups: ProvisionedGroups
    issuers: Pick<Issuers, 'provisioning'>
    accessAudit: Pick<AccessAudit, 'refused'>
    attempts: Pick<Attempts, 'take'>
    trustedProxies: BlockList
    publicUrl: PublicUrl | undefined
  }

type ScimEnv = { Variables: CallerEnv['Variables'] & { issuer: ScimIssuer; body: unknown } }

const scimType = 'application/scim+json'
const maxBodyBytes = 1024 * 1024
/** Wrong tokens that one address sends. */
const wrongTokens = { maxAttempts: 60, spanMs: 60_000 }

/**
 * Provisioning of users and groups by SCIM 2.0 (RFC 7643, 7644), for each issuer of single sign-on that has a token for it. Without one, its
 * routes respond like missing ones.
 */
export const scimRoutes = (ports: ScimPorts) => {
  const baseOf = (c: Context<ScimEnv>) => `${browserUrl(ports, c)}/scim/v2/${c.get('issuer').name}`
  const user = (c: Context<ScimEnv>, id: string) => {
    const found = findUser(ports, c.get('issuer'), id)
    return shownUsers(ports, [found], shownIn(c.req.query()), baseOf(c))[0] as Resource
  }
  const group = (c: Context<ScimEnv>, id: string) => {
    const found = findGroup(ports, c.get('issuer'), id)
    return shownGroups(ports, [found], shownIn(c.req.query()), baseOf(c))[0] as Resource
  }
  const respond = responder(ports)
  return new Hono<ScimEnv>()
    .basePath('/scim/v2/:issuer')
    .get(
      '/ServiceProviderConfig',
      docs('getScimConfig', 'Get what SCIM can do here'),
      respond((c) => answer(serviceProviderConfig(baseOf(c)))),
    )
    .get(
      '/ResourceTypes',
      docs('listScimResourceTypes', 'List the types of resources'),
      respond((c) => answer(all(resourceTypes(baseOf(c))))),
    )
    .get(
      '/ResourceTypes/:id',
      docs('getScimResourceType', 'Get a type of resources'),
      respond((c) => answer(oneOf(resourceTypes(baseOf(c)), idIn(c)))),
    )
    .get(
      '/Schemas',
      docs('listScimSchemas', 'List the schemas'),
      respond((c) => answer(all(schemas(baseOf(c))))),
    )
    .get(
      '/Schemas/:id',
      docs('getScimSchema', 'Get a schema'),
      respond((c) => answer(oneOf(schemas(baseOf(c)), idIn(c)))),
    )
    .get(
      '/Users',
      docs('listScimUsers', 'List provisioned users', { query: PageQuery }),
      respond((c) => answer(listUsers(ports, c.get('issuer'), listQuery(c.req.queries()), baseOf(c)))),
    )
    .post(
      '/Users',
      docs('createScimUser', 'Provision a user', { status: 201, body: UserBody, description: adoption }),
      respond((c) => {
        const { id } = createUser(ports, c.get('issuer'), c.get('body'))
        return answer(user(c, id), 201, { location: `${baseOf(c)}/Users/${id}` })
      }),
    )
    .get(
      '/Users/:id',
      docs('getScimUser', 'Get a provisioned user', { query: ShownQuery }),
      respond((c) => answer(user(c, idIn(c)))),
    )
    .put(
      '/Users/:id',
      docs('replaceScimUser', 'Replace a provisioned user', { body: UserBody, description: left }),
      respond((c) => answer(user(c, replaceUser(ports, c.get('issuer'), idIn(c), c.get('body')).id))),
    )
    .patch(
      '/Users/:id',
      docs('patchScimUser', 'Change a provisioned user', { body: PatchBody }),
      respond((c) => answer(user(c, patchUser(ports, c.get('issuer'), idIn(c), c.get('body')).id))),
    )
    .delete(
      '/Users/:id',
      docs('deleteScimUser', 'Delete a provisioned user', { status: 204, description: deletion }),
      respond((c) => {
        deleteUser(ports, c.get('issuer'), idIn(c))
        return c.body(null, 204)
      }),
    )
    .get(
      '/Groups',
      docs('listScimGroups', 'List provisioned groups', { query: PageQuery }),
      respond((c) => answer(listGroups(ports, c.get('issuer'), listQuery(c.req.queries()), baseOf(c)))),
    )
    .post(
      '/Groups',
      docs('createScimGroup', 'Provision a group', { status: 201, body: GroupBody }),
      respond((c) => {
        const { id } = createGroup(ports, c.get('issuer'), c.get('body'))
        return answer(group(c, id), 201, { location: `${baseOf(c)}/Groups/${id}` })
      }),
    )
    .get(
      '/Groups/:id',
      docs('getScimGroup', 'Get a provisioned group', { query: ShownQuery }),
      respond((c) => answer(group(c, idIn(c)))),
    )
    .put(
      '/Groups/:id',
      docs('replaceScimGroup', 'Replace a provisioned group', { body: GroupBody, description: left }),
      respond((c) => answer(group(c, replaceGroup(ports, c.get('issuer'), idIn(c), c.get('body')).id))),
    )
    .patch(
      '/Groups/:id',
      docs('patchScimGroup', 'Change a provisioned group', { status: 204, body: PatchBody, description: change }),
      respond((c) => {
        patchGroup(ports, c.get('issuer'), idIn(c), c.get('body'))
        return c.body(null, 204)
      }),
    )
    .delete(
      '/Groups/:id',
      docs('deleteScimGroup', 'Delete a provisioned group', { status: 204 }),
      respond((c) => {
        deleteGroup(ports, c.get('issuer'), idIn(c))
        return c.body(null, 204)
      }),
    )
}

const idIn = (c: Context<ScimEnv>): string => c.req.param('id') ?? ''

/** Responds to the issuer whom the path names and the token proves, with the errors of SCIM. */
function responder(ports: ScimPorts) {
  const { provisionedGroups, accessAudit } = ports
  /** The addresses and tokens of the issuers whose earlier groups are forgotten. */
  const tidied = new Map<string, string>()
  return (work: (c: Context<ScimEnv>) => Response) => async (c: Context<ScimEnv>) => {
    const provisioning = ports.issuers.provisioning(c.req.param('issuer') ?? '')
    if (!provisioning) return c.notFound()
    try {
      const issuer = identified(ports, c, provisioning)
      const state = `${issuer.address}\n${provisioning.token}`
      if (tidied.get(issuer.name) !== state) {
        provisionedGroups.forgetOthers(issuer)
        tidied.set(issuer.name, state)
      }
      c.set('issuer', issuer)
      if (['POST', 'PUT', 'PATCH'].includes(c.req.method)) c.set('body', await bodyOf(c.req.raw))
      return work(c)
    } catch (error) {
      const response = scimErrorResponse(error)
      const actor = (c.get('issuer') as ScimIssuer | undefined)?.actor
      if (response.status === 403 && actor)
        accessAudit.refused({ actor, action: 'scim.refuse', subject: `${c.req.method} ${shownPath(c)}` })
      return response
    }
  }
}

/** Throws ScimError if the token is not that of the issuer. */
function identified(
  { accessAudit, attempts, trustedProxies }: ScimPorts,
  c: Context,
  { entry, token }: NonNullable<ReturnType<Issuers['provisioning']>>,
): ScimIssuer {
  const { name } = entry
  const address = clientAddress(c, trustedProxies)
  if (isSame(bearerKey(c), token))
    return { name, address: entry.issuer, claim: scimClaimOf(entry), actor: { name: `scim ${name}`, id: '', address } }
  attempts.take(`wrong scim token from ${address}`, wrongTokens)
  accessAudit.refused({ actor: { name: 'anonymous', id: '', address }, action: 'scim.refuse', subject: `issuer ${name}` })
  throw new ScimError(401, 'The token is not the provisioning token of this issuer.')
}

/** Hashes have the same length, which `timingSafeEqual` requires. */
function isSame(sent: string, token: string): boolean {
  const [a, b] = [sent, token].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(a as Buffer, b as Buffer)
}

async function bodyOf(request: Request): Promise<unknown> {
  if (!/^application\/(scim\+)?json\s*(;|$)/i.test(request.headers.get('content-type') ?? ''))
    throw invalid('invalidSyntax', `The body must be JSON, sent with the header "Content-Type: ${scimType}".`)
  if (isCompressed(request)) throw invalid('invalidSyntax', compressedBody)
  const text = (await readBody(request, maxBodyBytes)).toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('invalidSyntax', 'The body is not valid JSON.')
  }
}

const answer = (resource: Resource, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(resource), { status, headers: { ...headers, 'content-type': scimType } })

const all = (resources: Resource[]): Resource => listAnswer(resources, resources.length, 1)

const UserBody = z
  .looseObject({
    schemas: z.array(z.string()).meta({ example: [userSchema] }),
    userName: z.string().describe('The name of the user; unique, case is ignored'),
    externalId: z.string().optional().describe('Equals a claim of the person at sign-in: sub, or oid of Entra ID'),
    active: z.boolean().optional().describe('False disables the user immediately'),
  })
  .describe('Other attributes are ignored and not stored')
const GroupBody = z
  .looseObject({
    schemas: z.array(z.string()).meta({ example: [groupSchema] }),
    displayName: z.string().describe('Rules name the group by the name of the issuer, a colon and this; unique, case is ignored'),
    externalId: z.string().optional(),
    members: z.array(z.looseObject({ value: z.string().describe('The id of a provisioned user') })).optional(),
  })
  .describe('Other attributes are ignored and not stored')
const PatchBody = z.looseObject({
  schemas: z.array(z.string()).meta({ example: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'] }),
  Operations: z.array(z.looseObject({ op: z.string(), path: z.string().optional(), value: z.unknown().optional() })),
})
const ResourceAnswer = z.looseObject({ schemas: z.array(z.string()) })

const adoption =
  'A person with this externalId who has signed in before keeps their user, which is provisioned from then on. 409 if another provisioned user has the userName or the externalId.'
const left = 'Attributes that the body does not have stay as they are, apart from the name, which it must have.'
const deletion =
  'Removes the user with their keys and sessions. Nobody gets a user at sign-in while the issuer provisions, so the person does not come back. 403 for the last admin.'
const change =
  'Adds, replaces or removes members and changes the name. A member that the group does not have is removed without an error.'

type Operation = { status?: 200 | 201 | 204; body?: z.ZodType; query?: z.ZodObject; description?: string }

/** Documents a route, whose errors are those of SCIM, or those of this server if they come before the token is checked. */
function docs(operationId: string, summary: string, { status = 200, body: schema, query, description }: Operation = {}) {
  const withId = /^(get|replace|patch|delete)Scim(User|Group|ResourceType|Schema)$/.test(operationId)
  const path = z.object({
    issuer: z.string().describe('The name of the issuer in sso.issuers'),
    ...(withId && { id: z.string() }),
  })
  const shown = query ?? (status === 204 ? undefined : schema && ShownQuery)
  const headers = status === 201 ? { headers: z.object({ Location: z.string() }) } : {}
  const content = status === 204 ? {} : { content: { [scimType]: { schema: ResourceAnswer } } }
  return withDocs<MiddlewareHandler>((_, next) => next(), {
    operationId,
    tags: ['Provisioning'],
    summary,
    description: `${description ?? `${summary}.`} Requires the provisioning token of the issuer, as "Authorization: Bearer TOKEN".`,
    requestParams: { path, ...(shown && { query: shown }) },
    ...(schema && { requestBody: { required: true, content: { [scimType]: { schema } } } }),
    responses: {
      [status]: { description: status === 204 ? 'Done' : 'The resource', ...headers, ...content },
      ...scimErrors(schema ? [400, 401, 403, 404, 409, 413, 429] : [400, 401, 403, 404, 429]),
    },
  })
}

const ScimErrorAnswer = z.object({
  schemas: z.array(z.literal(errorSchema)),
  status: z.string(),
  scimType: z.string().optional(),
  detail: z.string(),
})

const scimErrors = (statuses: readonly ErrorResponseStatus[]) =>
  Object.fromEntries(
    Object.entries(errorResponses(statuses)).map(([status, response]) => [
      status,
      { ...response, content: { ...response.content, [scimType]: { schema: ScimErrorAnswer } } },
    ]),
  )
