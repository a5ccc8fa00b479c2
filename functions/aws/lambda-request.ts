import type { LambdaFunctionURLEvent } from 'aws-lambda'

/** The request in the event of a function URL. */
export function lambdaRequest({
  requestContext,
  rawPath,
  rawQueryString,
  headers,
  body,
  isBase64Encoded,
}: LambdaFunctionURLEvent): Request {
  const query = rawQueryString === '' ? '' : `?${rawQueryString}`
  const sent = new Headers()
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) sent.set(name, value)
  const { method } = requestContext.http
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD'
  return new Request(`https://${requestContext.domainName}${rawPath}${query}`, {
    method,
    headers: sent,
    ...(hasBody && { body: isBase64Encoded ? Buffer.from(body, 'base64') : body }),
  })
}
