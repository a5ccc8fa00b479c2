import { z } from 'zod'

const rule = 'must be a host name or an address'

/** The address that a server listens on. */
export const OwnHost = z
  .string()
  .min(1, rule)
  .max(253, rule)
  .refine((host) => !host.startsWith('['), 'must be an address without brackets: write ::1 for [::1]')
  .refine((host) => /^[\w.:%-]*$/.test(host), rule)
