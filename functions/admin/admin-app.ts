import { createHash, timingSafeEqual } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { z } from 'zod'
import { replaceIds } from '../../shared/api/known-ids.ts'
import { AppError } from '../../shared/errors.ts'
import { errorResponse } from '../../shared/http/error-response.ts'
import { asBodyError } from '../../shared/http/json-body.ts'
import { shownPath } from '../../shared/http/log-requests.ts'
import { toHttp } from '../../shared/http/to-http.ts'
import { printLibraryId } from '../../shared/library.ts'
import { readLibraryId } from '../../shared/schemas/read-library-id.ts'
import { shortText } from '../../shared/schemas/short-text.ts'
import { asMachineError } from '../../shared/system/machine-error.ts'
import { readLines } from '../../shared/text/read-lines.ts'
import { audited } from '../access/audit.ts'
import { knownIdFor } from '../access/known-id-for.ts'
import { bundleStatus, startBundle } from '../bundles/bundle-status.ts'
import { replay } from '../counting/replay.ts'
import type { ReplayPorts } from '../counting/replay-batch.ts'
import { notingPorts } from '../recovery/noting-ports.ts'
import { type AdminOperationPorts, adminOperations } from './admin-operations.ts'
import { proof } from './proof.ts'

export type AdminPorts = AdminOperationPorts &
  Parameters<typeof startBundle>[0] &
  Parameters<typeof bundleStatus>[0] &
  ReplayPorts

const BundleRequest = z.object({ libraries: z.array(z.string().max(501)).max(1000) })

/**
 * The API that the command line calls, over a port of this machine or in its own process. Every call needs the secret, except the
 * one that proves to a caller that this server is the one to send it to.
 */
export function adminApp(ports: AdminPorts, secret: string): Hono {
  const app = new Hono()
  app.get('/proof/:nonce', (c) => c.text(proof(secret, c.req.param('nonce'))))
  app.use(onlyWith(secret))
  app.post('/run/:operation', async (c) => {
    const what = c.req.param('operation')
    const operation = adminOperations.get(what)
    if (!operation) throw new AppError('not_found', 'There is no such operation.')
    const input = (await replaceIds(await readBody(c, operation.input), (id) => knownIdFor(ports, id))) as never
    const who = operatorOf(c)
    const run = () => operation.run(notingPorts(ports), input, who)
    const change = await operation.describe?.(ports, input)
    return c.json({ answer: (await (change ? audited(ports.audit, { who, what, ...change }, run) : run())) ?? null })
  })
  app.post('/bundles', async (c) => {
    const { libraries: named } = await readBody(c, BundleRequest)
    const ids = await replaceIds(named.map(readLibraryId), (id) => knownIdFor(ports, id))
    const libraries = ids.map(printLibraryId)
    const change = { who: operatorOf(c), what: 'bundle', after: { libraries } }
    return c.json({ answer: await audited(ports.audit, change, () => startBundle(ports, libraries)) })
  })
  app.get('/bundles/:id', async (c) => c.json({ answer: await bundleStatus(ports, c.req.param('id')) }))
  app.post('/replay', async (c) => {
    const body = c.req.raw.body
    const lines = readLines(body === null ? Readable.from([]) : Readable.fromWeb(body as never))
    const uncertain = c.req.query('uncertain') === 'true'
    const change = { who: operatorOf(c), what: 'replay', after: { uncertain: String(uncertain) } }
    return c.json({ answer: await audited(ports.audit, change, () => replay(ports, lines, { uncertain })) })
  })
  app.onError((thrown, c) => {
    const error = asMachineError(asBodyError(thrown))
    if (toHttp(error).status >= 500) ports.log.error({ error, path: shownPath(c) }, 'admin request failed')
    return errorResponse(error, c.req.path)
  })
  return app
}

/** The person at the command line, as their machine names them. Only holders of the secret send it. */
function operatorOf(c: Context): string {
  const name = shortText(200).safeParse(Buffer.from(c.req.header('x-operator') ?? '', 'base64url').toString())
  return name.success ? `operator ${name.data}` : 'operator'
}

async function readBody<Schema extends z.ZodType>(c: Context, schema: Schema): Promise<z.output<Schema>> {
  const body = await c.req.json().catch(() => undefined)
  const read = schema.safeParse(body)
  if (read.success) return read.data
  const problems = read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`)
  throw new AppError('validation_error', problems.join(' '))
}

const onlyWith = (secret: string) => {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expectedDigest = digest(`Bearer ${secret}`)
  return createMiddleware(async (c, next) => {
    if (!timingSafeEqual(expectedDigest, digest(c.req.header('authorization') ?? '')))
      throw new AppError('forbidden', 'This port serves only the command line of its own data directory.')
    await next()
  })
}
