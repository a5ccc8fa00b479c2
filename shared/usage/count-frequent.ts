/**
 * Adds counts to at most `capacity` counters, by the algorithm Space-Saving (Metwally, Agrawal and El Abbadi, 2005). A new name takes the place
 * of the one with the lowest count, and continues from it. So the counts always add up to all that was counted (n); no count is lower than
 * the true one, or higher by more than n / capacity; and every name that is more frequent than that has a counter.
 */
export function countFrequent(counters: Map<string, number>, name: string, count: number, capacity: number): void {
  const before = counters.get(name)
  if (before !== undefined || counters.size < capacity) return void counters.set(name, (before ?? 0) + count)
  const [rarest, lowest] = lowestOf(counters)
  counters.delete(rarest)
  counters.set(name, lowest + count)
}

/** The counter with the lowest count; of several, the one whose name was counted first. */
function lowestOf(counters: Map<string, number>): [string, number] {
  let lowest: [string, number] = ['', Number.POSITIVE_INFINITY]
  for (const counter of counters) if (counter[1] < lowest[1]) lowest = counter
  return lowest
}
