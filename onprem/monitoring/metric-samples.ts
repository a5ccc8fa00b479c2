import { performance } from 'node:perf_hooks'
import type { Registry } from 'prom-client'

/** The state of an install at one time. Series that are 0 or unchanged are omitted. */
export type MetricSample = {
  at: string
  rssMb: number
  heapMb: number
  /** The part of the time since the sample before in which the event loop was busy, from 0 to 1. */
  busy: number
  /** Gauges, such as `jobs_waiting{kind="parse"}`: without `carrel_`, which the redaction of the support bundle takes for a key. */
  values: Record<string, number>
  /** The growth of counters since the sample before. */
  increments: Record<string, number>
}

const maxSamples = 120

/** The last 120 samples of the metrics of a registry. */
export function metricSamples(registry: Registry, now: () => Date): { add(): Promise<void>; list(): MetricSample[] } {
  const samples: MetricSample[] = []
  let counted = new Map<string, number>()
  let loop = performance.eventLoopUtilization()
  return {
    async add() {
      const values: Record<string, number> = {}
      const increments: Record<string, number> = {}
      const next = new Map<string, number>()
      for (const { name, type, value } of await seriesOf(registry)) {
        if (type === 'gauge') {
          if (value !== 0) values[name] = rounded(value)
          continue
        }
        next.set(name, value)
        const grown = value - (counted.get(name) ?? 0)
        if (grown > 0) increments[name] = rounded(grown)
      }
      counted = next
      const since = loop
      loop = performance.eventLoopUtilization()
      const { rss, heapUsed } = process.memoryUsage()
      samples.push({
        at: now().toISOString(),
        rssMb: Math.round(rss / 2 ** 20),
        heapMb: Math.round(heapUsed / 2 ** 20),
        busy: rounded(performance.eventLoopUtilization(loop, since).utilization),
        values,
        increments,
      })
      if (samples.length > maxSamples) samples.shift()
    },
    list: () => [...samples],
  }
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000

/** A histogram gives two series: its sum and its count. */
async function seriesOf(registry: Registry): Promise<{ name: string; type: string; value: number }[]> {
  const metrics = await registry.getMetricsAsJSON()
  return metrics.flatMap(({ name, type, values }) =>
    values.flatMap(({ value, labels, ...each }) => {
      const { metricName = name } = each as { metricName?: string }
      if (metricName.endsWith('_bucket')) return []
      const plain = metricName.replace(/^carrel_/, '')
      const shown = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
      return [{ name: shown.length === 0 ? plain : `${plain}{${shown.join(',')}}`, type: String(type), value }]
    }),
  )
}
