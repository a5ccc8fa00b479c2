import { readFileSync } from 'node:fs'
// A named import of `getCACertificates` would fail in Node 23.9 and below before `require-node.cjs` can say that they are too old.
import * as tls from 'node:tls'
import { AppError } from '../errors.ts'

/** The network settings of this machine. */
export type Network = {
  /** The environment of the process. Only its proxy variables are used. */
  env: Record<string, string | undefined>
  /** PEM file with additional trusted certificates (NODE_EXTRA_CA_CERTS). */
  caFile?: string | undefined
  /** Further trusted certificates, in PEM. */
  ca?: string | undefined
}

const proxyNames = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy', 'ALL_PROXY', 'all_proxy']

/** The proxy variables that are set. Spaces and line breaks around a value are ignored, as in other variables. */
export const proxyVariables = ({ env }: Pick<Network, 'env'>): Record<string, string> =>
  Object.fromEntries(proxyNames.map((name) => [name, env[name]?.trim() ?? '']).filter(([, value]) => value !== ''))

/** The certificates that git and our own requests trust: Node's, the system's, those of `caFile` and `ca`. */
export function trustedCertificates({ caFile, ca }: Pick<Network, 'caFile' | 'ca'>): string[] {
  const common = new Set([...tls.getCACertificates('bundled'), ...tls.getCACertificates('system')])
  return [...common, ...(caFile === undefined ? [] : [readCaFile(caFile)]), ...(ca ? [ca] : [])]
}

function readCaFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new AppError('not_configured', `The file ${file} in NODE_EXTRA_CA_CERTS cannot be read.`, { cause })
  }
}
