const encoded = (path: string): string => path.toWellFormed().split('/').map(encodeURIComponent).join('/')

/** The address of a page whose text may be that of another file, at the address of its text. */
export function addressOfPage(textAddress: string, pagePath: string): string {
  const file = fileOfAddress(textAddress)
  if (file === undefined || pagePath === '' || file === pagePath) return textAddress
  const end = encoded(file)
  return textAddress.endsWith(end) ? textAddress.slice(0, -end.length) + encoded(pagePath) : textAddress
}

/** The path of a file in its address at a commit. Undefined for other addresses. */
export function fileOfAddress(address: string): string | undefined {
  const [, path] = /\/blob\/[0-9a-f]{7,64}\/([^#?]+)/.exec(address) ?? []
  try {
    return path === undefined ? undefined : decodeURIComponent(path)
  } catch {
    return undefined
  }
}
