/** The path of a file in its address at a commit. Undefined for other addresses. */
export function fileOfAddress(address: string): string | undefined {
  const [, encoded] = /\/blob\/[0-9a-f]{7,64}\/([^#?]+)/.exec(address) ?? []
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}
