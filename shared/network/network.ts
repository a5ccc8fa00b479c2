import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'
import { AppError } from '../errors.ts'

/** How this machine reaches others. */
export type Network = {
  /** The process's environment, of which the proxy variables are used. */
  env: Record<string, string | undefined>
  /** PEM file with certificates to trust beside the system's (NODE_EXTRA_CA_CERTS). */
  caFile?: string
}

const proxyNames = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy', 'ALL_PROXY', 'all_proxy']

export const proxyVariables = ({ env }: Pick<Network, 'env'>): Record<string, string> =>
  Object.fromEntries(proxyNames.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))

/** Whom git and our own requests trust alike: Node's bundle, the system's, and the private file. */
export function trustedCertificates({ caFile }: Pick<Network, 'caFile'>): string[] {
  const common = new Set([...getCACertificates('bundled'), ...getCACertificates('system')])
  return caFile === undefined ? [...common] : [...common, readCaFile(caFile)]
}

function readCaFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new AppError('internal_error', `The file of NODE_EXTRA_CA_CERTS (${file}) cannot be read.`, { cause })
  }
}
