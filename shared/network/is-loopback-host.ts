/** True if a host, as in a URL or in HOST, can be reached only from this machine. */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|\[?::1\]?|127(\.\d{1,3}){3})$/.test(host.toLowerCase())
}
