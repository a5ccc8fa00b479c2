const maxCharacters = 500

/** Refuses what is not `a/b/c` of plain characters. Keys are ours: a wrong one is a bug. */
export function checkObjectKey(key: string): string {
  const isPlain = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(key)
  if (!isPlain || key.length > maxCharacters) throw new Error(`${JSON.stringify(key.slice(0, 100))} is no key of an object.`)
  return key
}
