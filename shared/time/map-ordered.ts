/** The results of `work` in the order of the items, with at most `width` under way. */
export async function* mapOrdered<T, R>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<[T, R]> {
  const underWay: [T, Promise<R>][] = []
  for (const item of items) {
    const begun = work(item)
    // One that fails while another is waited for is reported in its turn.
    begun.catch(() => undefined)
    underWay.push([item, begun])
    if (underWay.length < concurrency) continue
    const [first, result] = underWay.shift() as [T, Promise<R>]
    yield [first, await result]
  }
  for (const [item, result] of underWay) yield [item, await result]
}
