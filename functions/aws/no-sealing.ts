import { AppError } from '../../shared/errors.ts'
import type { Sealing } from '../access/git-tokens.ts'

/** A stage has no key yet that encrypts tokens of teamspaces, so it stores none. */
export const noSealing: Sealing = { seal: notConfigured, open: notConfigured }

async function notConfigured(): Promise<never> {
  throw new AppError('not_configured', 'This service stores no tokens of git hosts yet. Its operator adds private repositories.')
}
