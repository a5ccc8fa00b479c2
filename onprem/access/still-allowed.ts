import type { Context } from 'hono'
import { AppError } from '../../shared/errors.ts'
import { requestKey } from '../../shared/http/request-key.ts'
import { type CallerEnv, hasRight, type Right, type RightPorts } from './caller.ts'
import { type HolderPorts, holderOf } from './identify.ts'

export type StillAllowedPorts = RightPorts & HolderPorts

/**
 * True if the key or session of the caller of a long response is still valid and has the right. An anonymous caller keeps only
 * what is open.
 */
export async function stillAllowed(ports: StillAllowedPorts, c: Context<CallerEnv>, right: Right): Promise<boolean> {
  const { holder: before } = c.get('caller')
  try {
    const holder = await holderOf(ports, c, requestKey(c))
    return holder?.id === before?.id && hasRight(ports, right, holder)
  } catch (error) {
    if (error instanceof AppError && error.code === 'forbidden') return false
    throw error
  }
}
