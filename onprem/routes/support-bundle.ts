import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute } from '../../shared/api/describe-route.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'
import { utcDay } from '../../shared/time/utc-day.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import { rejectForeignSite } from '../access/reject-foreign-page.ts'
import { type SupportPorts, supportFiles, zipSupportFiles } from '../support/support-files.ts'

type SupportBundleRoutesPorts = RightPorts & SupportPorts & { publicUrl: PublicUrl | undefined }

export const supportBundleRoutes = (ports: SupportBundleRoutesPorts) =>
  new Hono<CallerEnv>().get(
    '/support-bundle',
    describeRoute({
      operationId: 'getSupportBundle',
      tags: ['Support'],
      summary: 'Download data for troubleshooting',
      description:
        'Returns a zip with versions, settings without secrets, the license without its signature, sizes of the stores, recent jobs with reports and logs, recent log lines, and the metrics of the last hour. It contains no snippet text, questions or keys.',
      responses: {
        200: {
          description: 'Zip file',
          headers: z.object({ 'Content-Disposition': z.string() }),
          content: { 'application/zip': { schema: z.string().meta({ format: 'binary' }) } },
        },
      },
    }),
    rejectForeignSite(ports),
    requireRight(ports, 'supportBundle'),
    async (c) => {
      const day = utcDay(ports.now())
      return c.body(await zipSupportFiles(supportFiles(ports)), 200, {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="carrel-support-${day}.zip"`,
        'cache-control': 'no-store',
      })
    },
  )
