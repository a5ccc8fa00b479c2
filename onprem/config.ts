import { z } from 'zod'
import { TrustedProxies } from '../shared/http/client-address.ts'
import { LogLevel } from '../shared/logging/log-level.ts'
import { OwnHost } from '../shared/schemas/own-host.ts'
import { OwnPath } from '../shared/schemas/own-path.ts'
import { PublicUrl } from '../shared/schemas/public-url.ts'
import { wholeNumberOr } from '../shared/schemas/whole-number.ts'
import { readEnvironment } from '../shared/settings/read-environment.ts'
import { NewPassword } from './accounts/passwords.ts'

/** The variables that a server reads, with their meaning as descriptions. */
export const Environment = z.object({
  PORT: wholeNumberOr(3000, 0, 65_535).describe('port of the server; 0 takes a free one, which the log names'),
  HOST: OwnHost.default('127.0.0.1').describe('address to listen on; any but loopback requires a license'),
  DATA_DIR: OwnPath.default('./data').describe('the data directory'),
  INITIAL_ADMIN_PASSWORD: NewPassword.optional().describe(
    'password of the first user until it is changed, at least 8 characters',
  ),
  PUBLIC_URL: PublicUrl.optional().describe('the address that users see, with its path, if a reverse proxy serves it'),
  TRUSTED_PROXIES: TrustedProxies.describe(
    'proxies whose X-Forwarded-For is trusted: addresses or networks, separated by commas',
  ),
  LICENSE_KEY: z
    .string()
    .optional()
    .describe("the vendor's license; a checkout on a loopback address issues itself a development license"),
  VENDOR_LICENSE_KEY_FILE: OwnPath.optional().describe(
    "file with the vendor's public key of licenses; by default DATA_DIR/vendor/license.pub.pem, else that of the install",
  ),
  VENDOR_BUNDLE_KEY_FILE: OwnPath.optional().describe(
    "file with the vendor's public key of bundles; by default DATA_DIR/vendor/bundle.pub.pem, else that of the install",
  ),
  LOG_LEVEL: LogLevel.describe(
    'least important lines that are logged: error, warn, info, or debug, which adds polls of health, status and jobs',
  ),
  SECRETS_DIR: OwnPath.optional().describe('folder with a file for each secret that carrel.yaml names; by default none'),
  NODE_EXTRA_CA_CERTS: OwnPath.optional().describe('PEM file with further certificates to trust, for git and for models'),
})

export type Config = z.infer<typeof Environment>

/** The environment of a server. Throws validation_error. */
export const readConfig = (env: Record<string, string | undefined>): Config => readEnvironment(Environment, env)

const CommandEnvironment = Environment.pick({
  DATA_DIR: true,
  HOST: true,
  SECRETS_DIR: true,
  LICENSE_KEY: true,
  VENDOR_LICENSE_KEY_FILE: true,
  VENDOR_BUNDLE_KEY_FILE: true,
})

/** The part of the environment that commands read. Throws validation_error. */
export const readCommandEnvironment = (env: Record<string, string | undefined>) => readEnvironment(CommandEnvironment, env)
