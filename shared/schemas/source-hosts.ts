import { z } from 'zod'
import { AllowedHost, anyHost } from '../network/allowed-host.ts'

const rule = 'must be * or hosts such as docs.example.com,*.example.com, without ports: workers reach only port 443'

/** The hosts of sources of a stage, separated by commas; `*` for every public one. */
export const SourceHosts = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((host) => host !== ''))
  .refine((hosts) => hosts.length <= 200 && hosts.every(isSourceHost), rule)

const isSourceHost = (host: string): boolean =>
  host === anyHost || (AllowedHost.safeParse(host).success && host === host.toLowerCase() && !/:\d+$/.test(host))
