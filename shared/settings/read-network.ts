import { z } from 'zod'
import type { Network } from '../network/network.ts'
import { OwnPath } from '../schemas/own-path.ts'
import { readEnvironment } from './read-environment.ts'

const Variables = z.object({ NODE_EXTRA_CA_CERTS: OwnPath.optional() })

/** The network settings of an environment. Throws validation_error. */
export function readNetwork(env: Network['env']): Network {
  const { NODE_EXTRA_CA_CERTS: caFile } = readEnvironment(Variables, env)
  return { env, ...(caFile !== undefined && { caFile }) }
}
