type BatchOptions<Item, Result> = {
  maxItems: number
  maxWeight: number
  weightOf(item: Item): number
  /** Results in the order of the items. */
  work(batch: readonly Item[]): Promise<Result[]>
}

export type Batched<Item, Result> = {
  /** Goes with others: when a batch is full, or nobody is left who may bring another item. */
  add(item: Item): Promise<Result>
  /** Somebody may bring items until the answer is called. */
  expect(): () => void
}

/** Work on batches, for callers who each bring a few items at about the same time. */
export function batched<Item, Result>({
  maxItems,
  maxWeight,
  weightOf,
  work,
}: BatchOptions<Item, Result>): Batched<Item, Result> {
  let waiting: { item: Item; resolve(result: Result): void; reject(error: unknown): void }[] = []
  let weight = 0
  let expected = 0

  const flush = () => {
    const batch = waiting
    waiting = []
    weight = 0
    if (batch.length === 0) return
    work(batch.map(({ item }) => item)).then(
      (results) => {
        for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Result)
      },
      (error: unknown) => {
        for (const { reject } of batch) reject(error)
      },
    )
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        const more = weightOf(item)
        if (weight + more > maxWeight) flush()
        waiting.push({ item, resolve, reject })
        weight += more
        if (waiting.length >= maxItems || expected === 0) flush()
      }),
    expect() {
      expected += 1
      return () => {
        expected -= 1
        if (expected === 0) flush()
      }
    },
  }
}
