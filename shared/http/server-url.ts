/** The address of a server, without a path. */
export const serverUrl = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** How its own machine reaches a server, also one that listens on all addresses. */
export function localServerUrl(host: string, port: number): string {
  if (host === '0.0.0.0') return serverUrl('127.0.0.1', port)
  return serverUrl(/^[0:]+$/.test(host) ? '::1' : host, port)
}
