import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { AppError } from '../../shared/errors.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { compressedBody, isCompressed, readBody } from '../../shared/http/read-body.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import { type Accepted, type AcceptPorts, acceptDelivery, acceptGithubDelivery } from '../hooks/accept-delivery.ts'
import type { SignedRequest } from '../hooks/check-signature.ts'
import { deliveryOutcomes, type Hook, hookKinds, hookPath, NewHook } from '../hooks/hook.ts'
import type { HookStore } from '../hooks/hook-store.ts'
import { createHook, findHook, type ManageHooksPorts, removeHook } from '../hooks/manage-hooks.ts'

const maxBodyBytes = 16 * 1024
/** GitHub lists at most 2,048 commits of a push, without their changes. */
const maxDeliveryBytes = 4 * 1024 * 1024

const HookAnswer = z
  .object({
    id: z.string(),
    kind: z.enum(hookKinds),
    name: z.string(),
    library: z.string().nullable().describe('The only library that it refreshes'),
    host: z.string().nullable().describe('Without library: it refreshes the libraries of this host; null for any library'),
    path: z.string().describe('Where deliveries are sent: below the address of this server'),
    url: z.string().nullable().describe('The whole address if PUBLIC_URL is set'),
    createdAt: z.iso.datetime(),
    lastDeliveryAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Webhook' })
const CreatedHook = HookAnswer.extend({ secret: z.string().describe('The secret; it is never shown again') })
const HookList = z.object({ hooks: z.array(HookAnswer), total: z.int() })

const Outcome = z
  .enum(deliveryOutcomes)
  .describe(
    'queued: a refresh is queued; joined: a queued refresh serves it; follows: one refresh follows the running job; ignored, repeated, rejected, failed: see detail',
  )
const AcceptedDelivery = z.object({
  library: z.string().nullable(),
  outcome: Outcome,
  detail: z.string(),
  job: z.int().nullable(),
})
const DeliveryAnswer = z.object({ message: z.string(), deliveries: z.array(AcceptedDelivery) })
const DeliveryList = z.object({
  deliveries: z.array(
    AcceptedDelivery.extend({
      event: z.string().describe('As its host names it; empty if the sender was not proven'),
      times: z.int().describe('Deliveries with this event, library, outcome and job'),
      at: z.iso.datetime().describe('When the last of them came'),
    }),
  ),
})
const HookId = z.object({ id: z.string().max(100) })
const Message = z.object({ message: z.string() })

type HookRoutesPorts = RightPorts &
  ManageHooksPorts &
  AcceptPorts & { hooks: Pick<HookStore, 'deliveries'>; publicUrl: PublicUrl | undefined }

const proof =
  'The body is that of the host, at most 4 MB. It is checked with the secret of the webhook: GitHub and Gitea sign it (X-Hub-Signature-256, X-Gitea-Signature), Bitbucket in X-Hub-Signature; GitLab sends X-Gitlab-Token, or signs with a signing token (webhook-signature). A generic one has {"library": "/owner/repo"}, and the header X-Carrel-Signature: t=<seconds since 1970>,v1=<HMAC-SHA256 of "<t>.<body>" in hex>, not older than 5 minutes. No key is needed.'

const describeDelivery = (operationId: string, summary: string, description: string) =>
  describeRoute({
    operationId,
    tags: ['Webhooks'],
    summary,
    description,
    responses: { 202: json(DeliveryAnswer, 'Accepted; the refresh runs later') },
    errors: [401, 404, 413],
  })

/** Webhooks: their list for admins, and the addresses at which hosts deliver events. */
export const hookRoutes = (ports: HookRoutesPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/hooks',
      describeRoute({
        operationId: 'listHooks',
        tags: ['Webhooks'],
        summary: 'List the webhooks',
        description: 'Without their secrets.',
        responses: { 200: json(HookList, 'Webhooks, oldest first') },
      }),
      requireRight(ports, 'admin'),
      (c) => {
        const hooks = ports.hooks.list().map((hook) => ({ ...answerOf(ports, hook), lastDeliveryAt: hook.lastDeliveryAt }))
        return c.json({ hooks, total: hooks.length })
      },
    )
    .post(
      '/hooks',
      describeRoute({
        operationId: 'createHook',
        tags: ['Webhooks'],
        summary: 'Add a webhook',
        description: 'Enter its address and secret at the host, with the content type application/json.',
        responses: { 201: json(CreatedHook, 'Webhook added; its secret is shown only once') },
        errors: [404],
      }),
      requireRight(ports, 'admin'),
      jsonBody(maxBodyBytes),
      input('json', NewHook),
      (c) => {
        const { secret, ...hook } = createHook(ports, c.get('caller'), c.req.valid('json'))
        return c.json({ ...answerOf(ports, hook), lastDeliveryAt: null, secret }, 201)
      },
    )
    .delete(
      '/hooks/:id',
      describeRoute({
        operationId: 'removeHook',
        tags: ['Webhooks'],
        summary: 'Remove a webhook',
        description: 'Deliveries to its address are rejected.',
        responses: { 200: json(Message, 'Webhook removed') },
        errors: [404],
      }),
      requireRight(ports, 'admin'),
      input('param', HookId),
      (c) => {
        const { name } = removeHook(ports, c.get('caller'), c.req.valid('param').id)
        return c.json({ message: `The webhook ${name} is removed.` })
      },
    )
    .get(
      '/hooks/:id/deliveries',
      describeRoute({
        operationId: 'listDeliveries',
        tags: ['Webhooks'],
        summary: 'List the last deliveries of a webhook',
        description: 'Deliveries with the same outcome are one entry. At most 100 entries.',
        responses: { 200: json(DeliveryList, 'Deliveries, newest first') },
        errors: [404],
      }),
      requireRight(ports, 'admin'),
      input('param', HookId),
      (c) => {
        const { id } = findHook(ports, c.req.valid('param').id)
        return c.json({ deliveries: ports.hooks.deliveries(id) })
      },
    )
    .post(
      '/hooks/:id',
      describeDelivery('deliverEvent', 'Deliver an event to a webhook', proof),
      input('param', HookId),
      async (c) => c.json(answer(await acceptDelivery(ports, c.req.valid('param').id, () => signedRequest(c))), 202),
    )
    .post(
      '/github/webhook',
      describeDelivery(
        'deliverGithubEvent',
        'Deliver an event to the GitHub webhook of the install',
        `The GitHub webhook of a whole host whose secret signed the body. ${proof}`,
      ),
      async (c) => c.json(answer(await acceptGithubDelivery(ports, () => signedRequest(c))), 202),
    )

const answerOf = ({ publicUrl }: Pick<HookRoutesPorts, 'publicUrl'>, hook: Hook) => ({
  id: hook.id,
  kind: hook.kind,
  name: hook.name,
  library: hook.library,
  host: hook.host,
  path: hookPath(hook.id),
  url: publicUrl ? publicUrl.url + hookPath(hook.id) : null,
  createdAt: hook.createdAt,
})

const answer = (accepted: Accepted): z.infer<typeof DeliveryAnswer> => ({
  message: accepted.map(({ library, detail }) => (library === null ? detail : `${library}: ${detail}`)).join(' '),
  deliveries: accepted.map(({ library, outcome, detail, job }) => ({ library, outcome, detail, job })),
})

/** The signature is of the bytes as they were sent. */
async function signedRequest({ req }: Context): Promise<SignedRequest> {
  if (isCompressed(req.raw)) throw new AppError('validation_error', compressedBody)
  return { body: await readBody(req.raw, maxDeliveryBytes), header: (name) => req.header(name) }
}
