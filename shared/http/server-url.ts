/** The address of a server, without a path. */
export const serverUrl = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** The address of a server on its own machine, also if it listens on all addresses. */
export function localServerUrl(host: string, port: number): string {
  if (host === '0.0.0.0') return serverUrl('127.0.0.1', port)
  return serverUrl(/^[0:]+$/.test(host) ? '::1' : host, port)
}
