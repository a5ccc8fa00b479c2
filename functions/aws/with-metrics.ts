import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics'
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware'
import type { MiddlewareObj } from '@middy/core'
import { tracer } from './tracer.ts'

/** Traces the runs of a function, without its responses. */
export const tracedRuns = () => captureLambdaHandler(tracer, { captureResponse: false })

/**
 * Traces a function and publishes the counts that `measure` returns for each run, by name; `answer` is undefined if the run failed. A run
 * without counts writes no line into the log.
 */
export function withMetrics<Event, Answer>(
  measure: (event: Event, answer: Answer | undefined) => Record<string, number>,
): MiddlewareObj[] {
  const metrics = new Metrics()
  const publish = (event: Event, answer: Answer | undefined) => {
    const counts = Object.entries(measure(event, answer)).filter(([, value]) => value > 0)
    for (const [name, value] of counts) metrics.addMetric(name, MetricUnit.Count, value)
    if (counts.length > 0) metrics.publishStoredMetrics()
  }
  const count: MiddlewareObj = {
    before: ({ context }) => metrics.captureColdStartMetric(context.functionName),
    after: ({ event, response }) => publish(event as Event, response as Answer),
    onError: ({ event }) => publish(event as Event, undefined),
  }
  return [tracedRuns() as MiddlewareObj, count]
}
