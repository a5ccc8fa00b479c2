import { z } from 'zod'
import { isMetadataHost } from './metadata-address.ts'

const rule = 'must be hosts such as docs.example.com, *.example.com or docs.example.com:8443, separated by commas'
const hostPattern =
  /^(?:\*\.)?(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)*[a-z\d](?:[a-z\d-]*[a-z\d])?(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/

/** A host that documentation may be read from, besides git hosts: a name, all names below one (`*.example.com`), or either with a port. */
export const AllowedHost = z
  .string(rule)
  .trim()
  .toLowerCase()
  .max(260, rule)
  .regex(hostPattern, rule)
  .refine((host) => !isMetadataHost(hostName(host)), 'must not be the address of a metadata service')

export const allowedHostsRule = rule

/** The host without its port. */
export const hostName = (host: string): string => host.replace(/:\d+$/, '')

/** Every host whose name has a dot, as an entry of a list. No setting takes it, only the environment of a deployment. */
export const anyHost = '*'
