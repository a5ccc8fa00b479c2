import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { input } from '../../../shared/api/input.ts'
import { AppError } from '../../../shared/errors.ts'
import { jsonBody } from '../../../shared/http/json-body.ts'
import { tokenHosts } from '../../../shared/reading/git/git-hosts.ts'
import type { Audit } from '../../access/audit.ts'
import type { GitTokens } from '../../access/git-tokens.ts'
import { requirePrivatePlan } from '../../jobs/add-for-teamspace.ts'
import { admin, type GuardPorts, member } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { changing } from '../actions/manage-libraries.ts'
import { GitTokenList, Message } from './answers.ts'
import { maxBodyBytes } from './body-limit.ts'
import { actingMember } from './library-in-path.ts'

const Host = z.object({ team: z.string().describe('Id of a teamspace'), host: z.enum(tokenHosts) })
/** Tokens are sent in headers, so they hold only visible ASCII. */
export const Token = z.string().regex(/^[\x21-\x7e]{8,500}$/, 'must be 8 to 500 visible ASCII characters')

/** The tokens that a teamspace reads its private repositories with. No route answers one. */
export const gitTokenRoutes = (ports: GuardPorts & { gitTokens: GitTokens; audit: Pick<Audit, 'begin'> }) =>
  new Hono<SessionEnv>()
    .get(
      '/teamspaces/:team/git-tokens',
      member(ports),
      describeRoute({
        operationId: 'listGitTokens',
        tags: ['Libraries'],
        summary: 'List the git tokens of a teamspace',
        description: 'Their last characters. No request returns a token.',
        responses: { 200: json(GitTokenList, 'The tokens') },
      }),
      async (c) => c.json({ gitTokens: await ports.gitTokens.list(c.get('teamspace').id) }),
    )
    .put(
      '/teamspaces/:team/git-tokens/:host',
      admin(ports),
      describeRoute({
        operationId: 'saveGitToken',
        tags: ['Libraries'],
        summary: 'Save a git token',
        description: 'The teamspace reads its private repositories with it. Requires a paid plan.',
        responses: { 200: json(Message, 'It is saved') },
      }),
      input('param', Host),
      jsonBody(maxBodyBytes),
      input('json', z.strictObject({ token: Token })),
      async (c) => {
        const { host } = c.req.valid('param')
        const { id, plan } = c.get('teamspace')
        requirePrivatePlan(plan)
        await changing(ports, actingMember(c), 'saveGitToken', { after: { host } }, () =>
          ports.gitTokens.save(id, host, c.req.valid('json').token),
        )
        return c.json({ message: `The token for ${host} is saved.` })
      },
    )
    .delete(
      '/teamspaces/:team/git-tokens/:host',
      admin(ports),
      describeRoute({
        operationId: 'deleteGitToken',
        tags: ['Libraries'],
        summary: 'Delete a git token',
        description: 'Private repositories of that host are not refreshed any more.',
        responses: { 200: json(Message, 'It is deleted') },
      }),
      input('param', Host),
      async (c) => {
        const { host } = c.req.valid('param')
        const isRemoved = await changing(ports, actingMember(c), 'deleteGitToken', { before: { host } }, () =>
          ports.gitTokens.remove(c.get('teamspace').id, host),
        )
        if (!isRemoved) throw new AppError('not_found', `The teamspace has no token for ${host}.`)
        return c.json({ message: `The token for ${host} is deleted.` })
      },
    )
