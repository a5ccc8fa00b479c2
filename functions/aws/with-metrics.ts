import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics'
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware'
import { Tracer } from '@aws-lambda-powertools/tracer'
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware'
import type { MiddlewareObj } from '@middy/core'

const tracer = new Tracer({ captureHTTPsRequests: false })

/** Traces the runs of a function, without its responses. */
export const traced = () => captureLambdaHandler(tracer, { captureResponse: false })

/** Traces a function and publishes the counts that `measure` returns for each run, by name. */
export function withMetrics<Event, Answer>(measure: (event: Event, answer: Answer) => Record<string, number>): MiddlewareObj[] {
  const metrics = new Metrics()
  const count: MiddlewareObj = {
    after({ event, response }) {
      for (const [name, value] of Object.entries(measure(event as Event, response as Answer)))
        metrics.addMetric(name, MetricUnit.Count, value)
    },
  }
  return [traced() as MiddlewareObj, logMetrics(metrics, { captureColdStartMetric: true }) as MiddlewareObj, count]
}
