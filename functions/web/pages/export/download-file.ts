/** Has the browser save the file at an address whose server answers with an attachment. */
export function downloadFile(url: string): void {
  const link = Object.assign(document.createElement('a'), { href: url, download: '' })
  link.click()
}
