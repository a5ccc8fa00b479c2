import { Tracer } from '@aws-lambda-powertools/tracer'

/** Outside a Lambda it does nothing. */
export const tracer = new Tracer({ captureHTTPsRequests: false })

/** Adds the requests of a client to the traces of the runs that send them. */
export const traced = <Client>(client: Client): Client => tracer.captureAWSv3Client(client as never)
