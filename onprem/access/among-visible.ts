import { AppError } from '../../shared/errors.ts'
import { keyPrefixes } from '../../shared/keys/api-key.ts'
import type { PublicLibraries } from '../store/catalog/public-libraries.ts'
import type { Caller, RightPorts } from './caller.ts'

export type VisiblePorts = RightPorts & {
  /** Stores as callers without a key or session see them while `permissions.hidePrivate` is on. */
  publicOnly: PublicLibraries
}

/** True if private libraries do not exist for a caller. */
export const hidesPrivate = ({ settings }: RightPorts, { holder }: Pick<Caller, 'holder'>): boolean =>
  holder === undefined && settings.get('permissions.hidePrivate')

/** The same ports, in which only the libraries that the caller may see exist. */
export const visibleTo = <Ports extends VisiblePorts>(ports: Ports, caller: Pick<Caller, 'holder'>): Ports =>
  hidesPrivate(ports, caller) ? { ...ports, ...ports.publicOnly } : ports

/** Does work with the libraries that the caller may see. If it finds none and some may be hidden, the error says that a key may be missing. */
export async function amongVisible<Ports extends VisiblePorts, Answer>(
  ports: Ports,
  caller: Caller,
  work: (ports: Ports) => Answer | Promise<Answer>,
): Promise<Answer> {
  try {
    return await work(visibleTo(ports, caller))
  } catch (error) {
    throw hidesPrivate(ports, caller) ? withKeyAdvice(error, caller) : error
  }
}

function withKeyAdvice(error: unknown, { sentKey }: Caller): unknown {
  if (!(error instanceof AppError) || !['library_not_found', 'no_libraries_found'].includes(error.code)) return error
  const advice = sentKey
    ? 'Private libraries are not shown, because the key that you sent is unknown, expired or revoked in this install.'
    : `Private libraries are only shown with a key of this install: send "Authorization: Bearer ${keyPrefixes.onprem}…".`
  return new AppError(error.code, `${error.message} ${advice}`, { cause: error, fields: error.fields })
}
