import middy from '@middy/core'
import { awsBundle } from '../aws/stage-ports.ts'
import { tracedRuns } from '../aws/with-metrics.ts'
import { type BundleRequest, buildBundle } from '../bundles/bundle-status.ts'

const ports = awsBundle()

/** Builds a zip in the background and stores its status. */
export const handler = middy<BundleRequest>()
  .use(tracedRuns())
  .handler((request) => buildBundle(ports, request))
