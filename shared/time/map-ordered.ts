/** Yields each item with its result, in the order of the items. Runs at most `concurrency` at a time. */
export async function* mapOrdered<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  concurrency: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<[T, R]> {
  const running: [T, Promise<R>][] = []
  for await (const item of items) {
    const started = work(item)
    // A failure is thrown in its turn.
    started.catch(() => undefined)
    running.push([item, started])
    if (running.length < concurrency) continue
    const [first, result] = running.shift() as [T, Promise<R>]
    yield [first, await result]
  }
  for (const [item, result] of running) yield [item, await result]
}
