import { z } from 'zod'
import { LogLevel } from '../../shared/logging/log-level.ts'
import { wholeNumberOr } from '../../shared/schemas/whole-number.ts'
import { readEnvironment } from '../../shared/settings/read-environment.ts'

type Env = Record<string, string | undefined>

export const hostedDataDir = ({ DATA_DIR }: Env): string => DATA_DIR || './data-hosted'

/** The variables that a server reads, with their meaning as descriptions. */
export const Environment = z.object({
  PORT: wholeNumberOr(4000, 0, 65_535).describe('port of the server'),
  HOST: z.string().trim().min(1, 'must be a host name or an address').default('127.0.0.1').describe('address to listen on'),
  DATA_DIR: z.string().min(1).default(hostedDataDir({})).describe('the data directory'),
  LOG_LEVEL: LogLevel.describe(
    'least important lines that are logged: error, warn, info, or debug, which adds polls of health, status and jobs',
  ),
  NODE_EXTRA_CA_CERTS: z.string().min(1).optional().describe('PEM file with further certificates to trust, for git'),
  REQUEST_LIMITS: z
    .string()
    .optional()
    .describe('limits of requests as JSON, changes to those of a stage; without it, requests are not limited'),
})

export type LocalConfig = z.infer<typeof Environment>

/** Reads the environment of a local run. An empty variable is treated as unset. Throws validation_error. */
export const readLocalConfig = (env: Env): LocalConfig => readEnvironment(Environment, env)
