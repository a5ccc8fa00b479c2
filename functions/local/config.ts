import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { wholeNumberOr } from '../../shared/whole-number.ts'

type Env = Record<string, string | undefined>

export const hostedDataDir = ({ DATA_DIR }: Env): string => DATA_DIR || './data-hosted'

const Environment = z.object({
  PORT: wholeNumberOr(4000, 0, 65_535),
  HOST: z.string().trim().min(1, 'must be a host name or an address').default('127.0.0.1'),
  DATA_DIR: z.string().min(1).default(hostedDataDir({})),
  NODE_EXTRA_CA_CERTS: z.string().min(1).optional(),
})

export type LocalConfig = z.infer<typeof Environment>

/** The environment of a local run. An empty variable counts as unset. Throws validation_error. */
export function readLocalConfig(env: Env): LocalConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const read = Environment.safeParse(given)
  if (read.success) return read.data
  throw new AppError('validation_error', read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`).join(' '))
}
