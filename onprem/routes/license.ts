import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { isExpired, licenseKinds } from '../../shared/keys/license.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import type { LicensePorts } from '../access/resolve-license.ts'

const LicenseAnswer = z
  .object({
    id: z.string(),
    customer: z.string(),
    kind: z.enum(licenseKinds),
    expiresAt: z.iso.datetime(),
    valid: z.boolean().describe('False when the license has expired; reads still work then'),
  })
  .meta({ id: 'License' })

type LicenseRoutesPorts = RightPorts & LicensePorts

export const licenseRoutes = (ports: LicenseRoutesPorts) =>
  new Hono<CallerEnv>().get(
    '/license',
    describeRoute({
      operationId: 'getLicense',
      tags: ['Accounts'],
      summary: 'Get the license of this install',
      description: 'Returns the license without its signature. It is set with LICENSE_KEY.',
      responses: { 200: json(LicenseAnswer, 'License of the install') },
    }),
    requireRight(ports, 'admin'),
    (c) => {
      const { id, customer, kind, expiresAt } = ports.license
      return c.json({ id, customer, kind, expiresAt, valid: !isExpired(ports.license, ports.now()) })
    },
  )
