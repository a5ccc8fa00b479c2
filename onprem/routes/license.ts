import { Hono } from 'hono'
import { z } from 'zod'
import { errors, json, keyNeeded, type Operations } from '../../shared/api/operations.ts'
import { isExpired, licenseKinds } from '../../shared/keys/license.ts'
import { type CallerEnv, requireRight } from '../access/caller.ts'
import type { App } from '../app.ts'

const LicenseAnswer = z
  .object({
    id: z.string(),
    customer: z.string(),
    kind: z.enum(licenseKinds),
    expiresAt: z.iso.datetime(),
    valid: z.boolean().describe('False when the license has expired; reads still work then'),
  })
  .meta({ id: 'License' })

export const licenseRoutes = (app: App) =>
  new Hono<CallerEnv>().get('/license', requireRight(app, 'admin'), (c) => {
    const { id, customer, kind, expiresAt } = app.license
    return c.json({ id, customer, kind, expiresAt, valid: !isExpired(app.license, app.now()) })
  })

export const licenseOperations: Operations = {
  '/license': {
    get: {
      operationId: 'getLicense',
      tags: ['Accounts'],
      summary: 'Get the license of this install',
      description: 'Returns the license without its signature. It is set with LICENSE_KEY.',
      security: keyNeeded,
      responses: { 200: json(LicenseAnswer, 'License of the install'), ...errors(401, 403) },
    },
  },
}
