import { collectDefaultMetrics, Registry } from 'prom-client'

/** Unused series, some with names that Prometheus warns about. */
const omitted = [
  ...['handles', 'requests', 'resources'].flatMap((each) => [`nodejs_active_${each}`, `nodejs_active_${each}_total`]),
  ...['total', 'used', 'available'].map((each) => `nodejs_heap_space_size_${each}_bytes`),
]

let registry: Registry | undefined

/** Memory, event-loop delay, garbage collection and CPU time of this process. One for all installs in it, because its observers are never removed. */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
    for (const name of omitted) registry.removeSingleMetric(name)
  }
  return registry
}
