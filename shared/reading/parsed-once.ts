const maxValues = 5_000

/** Values of the clone that was read last. */
let last: { clone: string; values: Map<string, Promise<unknown>> } = { clone: '', values: new Map() }

/** The value that `read` had for this name and clone, if it is the clone that was read last. */
export function parsedOnce<T>({ clone, name }: { clone: string; name: string }, read: () => Promise<T>): Promise<T> {
  if (last.clone !== clone || last.values.size >= maxValues) last = { clone, values: new Map() }
  const value = (last.values.get(name) as Promise<T> | undefined) ?? read()
  last.values.set(name, value)
  return value
}
