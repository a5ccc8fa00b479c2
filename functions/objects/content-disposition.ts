/** The header of a download: its file name in plain characters and in its original form (RFC 6266, RFC 8187). */
export function contentDisposition(fileName: string): string {
  const plain = fileName.replace(/[^A-Za-z0-9._-]/g, '_')
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
