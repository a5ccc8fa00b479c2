type BatchOptions<Item, Result> = {
  maxItems: number
  maxWeight: number
  weightOf(item: Item): number
  /** Results in the order of the items. */
  work(batch: readonly Item[]): Promise<Result[]>
}

export type Batched<Item, Result> = {
  /** Resolves with the item's batch, which runs when it is full or when no caller expects to add another item. */
  add(item: Item): Promise<Result>
  /** Announces items of one caller; call the returned function when all of them were added. */
  expect(): () => void
}

/** Combines the items of several concurrent callers into batches. */
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
