import { z } from 'zod'
import { LogLevel } from '../shared/logging/log-level.ts'
import { PublicUrl } from '../shared/schemas/public-url.ts'
import { wholeNumberOr } from '../shared/schemas/whole-number.ts'
import { readEnvironment } from '../shared/settings/read-environment.ts'
import { NewPassword } from './accounts/passwords.ts'
import { TrustedProxies } from './accounts/trusted-proxies.ts'

const Environment = z.object({
  PORT: wholeNumberOr(3000, 0, 65_535),
  HOST: z.string().trim().min(1, 'must be a host name or an address').default('127.0.0.1'),
  DATA_DIR: z.string().min(1).default('./data'),
  INITIAL_ADMIN_PASSWORD: NewPassword.optional(),
  PUBLIC_URL: PublicUrl.optional(),
  TRUSTED_PROXIES: TrustedProxies,
  LICENSE_KEY: z.string().optional(),
  VENDOR_LICENSE_KEY_FILE: z.string().optional(),
  VENDOR_BUNDLE_KEY_FILE: z.string().optional(),
  LOG_LEVEL: LogLevel,
  NODE_EXTRA_CA_CERTS: z.string().min(1).optional(),
})

export type Config = z.infer<typeof Environment>

/** The environment of a server. An empty variable is treated as unset. Throws validation_error. */
export const readConfig = (env: Record<string, string | undefined>): Config => readEnvironment(Environment, env)
