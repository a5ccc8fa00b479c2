import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { input, parseInput } from '../../shared/api/input.ts'
import { AppError } from '../../shared/errors.ts'
import { compressedBody, isCompressed, readBody } from '../../shared/http/read-body.ts'
import { type RequestTakedownPorts, requestTakedown } from '../takedown/request-takedown.ts'
import { maxRequestBytes, TakedownRequest } from '../takedown/takedown-requests.ts'
import { type PagesEnv, shared } from './page-headers.ts'
import { takedownPage, takedownSentPage } from './takedown-page.ts'

const TakedownQuery = z.object({ library: z.string().max(500).optional().catch(undefined) })

/** The form of `POST /api/v2/takedowns`, for people without scripts. */
export const takedownPages = (ports: RequestTakedownPorts, site: (c: Context) => string) =>
  new Hono<PagesEnv>()
    .get('/takedown', input('query', TakedownQuery), (c) => {
      const page = takedownPage({ site: site(c), form: c.req.valid('query') })
      c.set('cacheControl', shared)
      return c.html(page)
    })
    .post('/takedown', async (c) => {
      const form = await readForm(c.req.raw)
      const request = parsed(form)
      if (request instanceof AppError) return c.html(takedownPage({ site: site(c), form, error: request.message }), 400)
      const { message } = await requestTakedown(ports, c, request)
      return c.html(takedownSentPage(site(c), message), 202)
    })

/** Throws validation_error and payload_too_large. */
async function readForm(request: Request): Promise<Record<string, string>> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers.get('content-type') ?? ''))
    throw new AppError('validation_error', 'Send the form of the page /takedown.')
  if (isCompressed(request)) throw new AppError('validation_error', compressedBody)
  const body = await readBody(request, maxRequestBytes)
  return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(body)))
}

/** The request, or the error that says what is wrong with it. */
function parsed(form: Record<string, string>): TakedownRequest | AppError {
  try {
    return parseInput('json', TakedownRequest, form)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}
