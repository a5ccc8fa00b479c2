import { z } from 'zod'
import { LogLevel } from '../../shared/logging/log-level.ts'
import { OwnHost } from '../../shared/schemas/own-host.ts'
import { OwnPath } from '../../shared/schemas/own-path.ts'
import { wholeNumber, wholeNumberOr } from '../../shared/schemas/whole-number.ts'
import { readEnvironment } from '../../shared/settings/read-environment.ts'

type Env = Record<string, string | undefined>

/** The variables that a server reads, with their meaning as descriptions. */
export const Environment = z.object({
  PORT: wholeNumberOr(4000, 0, 65_535).describe('port of the server'),
  DASHBOARD_PORT: wholeNumber(0, 65_535).optional().describe('port of the dashboard; without it, the one after PORT'),
  ISSUER_PORT: wholeNumber(0, 65_535)
    .optional()
    .describe(
      'port of the sign-in for development, which is not started if OIDC_ISSUER is set; without it, the one after DASHBOARD_PORT',
    ),
  OIDC_ISSUER: z.url().optional().describe('issuer of OpenID Connect that signs people in'),
  OIDC_CLIENT_ID: z.string().default('carrel').describe('id of the dashboard at the issuer'),
  OIDC_CLIENT_SECRET: z.string().default('').describe('secret of the dashboard at the issuer'),
  HOST: OwnHost.default('127.0.0.1').describe('address to listen on'),
  DATA_DIR: OwnPath.default('./data-hosted').describe('the data directory'),
  LOG_LEVEL: LogLevel.describe(
    'least important lines that are logged: error, warn, info, or debug, which adds polls of health, status and jobs',
  ),
  TERMS_FILE: OwnPath.optional().describe('Markdown file of the page /terms; without it, a text that says how the service works'),
  PRIVACY_FILE: OwnPath.optional().describe(
    'Markdown file of the page /privacy; without it, a text that says what the service stores',
  ),
  NODE_EXTRA_CA_CERTS: OwnPath.optional().describe('PEM file with further certificates to trust, for git'),
  REQUEST_LIMITS: z
    .string()
    .optional()
    .describe('limits of requests as JSON, changes to those of a stage; without it, requests are not limited'),
})

export type LocalConfig = z.infer<typeof Environment>

/** Reads the environment of a local run. Throws validation_error. */
export const readLocalConfig = (env: Env): LocalConfig => readEnvironment(Environment, env)

const CommandEnvironment = Environment.pick({ DATA_DIR: true }).extend({
  VENDOR_LICENSE_KEY_FILE: OwnPath.optional(),
  VENDOR_BUNDLE_KEY_FILE: OwnPath.optional(),
})

/** The part of the environment that commands read. Throws validation_error. */
export const readCommandEnvironment = (env: Env) => readEnvironment(CommandEnvironment, env)
