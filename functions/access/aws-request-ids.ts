import type { Context } from 'hono'
import type { OuterIds } from '../../shared/http/log-requests.ts'

/**
 * The ids that AWS gave a request: that of API Gateway or the function URL, which the log and the error responses of API Gateway have,
 * too, and that of CloudFront. Responses have both, as Apigw-Requestid and X-Amz-Cf-Id.
 */
export const awsRequestIds = (c: Context<{ Bindings: { requestContext?: { requestId?: string } } }>): OuterIds => ({
  gateway: c.env?.requestContext?.requestId,
  edge: c.req.header('x-amz-cf-id'),
})
