const maxCharacters = 500

/** Returns the key. Throws if it is not `a/b/c` of plain characters, which is a bug, because no caller chooses keys. */
export function checkObjectKey(key: string): string {
  const isPlain = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(key)
  if (!isPlain || key.length > maxCharacters) throw new Error(`${JSON.stringify(key.slice(0, 100))} is not a valid object key.`)
  return key
}
