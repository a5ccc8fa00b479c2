import { AppError } from '../../shared/errors.ts'
import { keyPrefixes } from '../../shared/keys/api-key.ts'
import { type LibraryId, printLibraryId, shownId } from '../../shared/library.ts'
import type { Caller } from './caller.ts'
import { type Reader, type ReaderPorts, readerOf } from './reader.ts'

export type VisiblePorts = ReaderPorts

/** The same ports, in which only the libraries exist that the reader may see. */
const forReader = <Ports extends VisiblePorts>(ports: Ports, reader: Reader | undefined): Ports =>
  reader === undefined ? ports : { ...ports, ...ports.readableBy(reader) }

/** The same ports, in which only the libraries that the caller may see exist. */
export const visibleTo = <Ports extends VisiblePorts>(ports: Ports, caller: Pick<Caller, 'holder' | 'only'>): Ports =>
  forReader(ports, readerOf(ports, caller))

/** Does work with the libraries that the caller may see. If it finds none and some may be hidden, the error says that a key may be missing. */
export async function amongVisible<Ports extends VisiblePorts, Answer>(
  ports: Ports,
  caller: Caller,
  work: (ports: Ports) => Answer | Promise<Answer>,
): Promise<Answer> {
  const reader = readerOf(ports, caller)
  try {
    return await work(forReader(ports, reader))
  } catch (error) {
    throw reader !== undefined && caller.holder === undefined ? withKeyAdvice(error, caller) : error
  }
}

/** True if a library with this id exists for a caller with a key or session once it is here. */
export const isVisible = (ports: VisiblePorts, caller: Caller, { owner, repo }: LibraryId): boolean =>
  readerOf(ports, caller)?.sees({ id: printLibraryId({ owner, repo }), private: true }) !== false

/** Throws forbidden for a library that would not exist for the holder of a key or session, whether it is here or not. */
export function requireVisible(ports: VisiblePorts, caller: Caller, id: LibraryId): void {
  if (!caller.holder || isVisible(ports, caller, id)) return
  throw new AppError(
    'forbidden',
    caller.holder.libraries
      ? `Your key is for other libraries than ${shownId(id)}. Use a key without a list of libraries, or one that lists it.`
      : `The rules of this install give ${shownId(id)} to others. Ask an admin for it: Settings > Access to libraries.`,
  )
}

function withKeyAdvice(error: unknown, { sentKey }: Caller): unknown {
  if (!(error instanceof AppError) || !['library_not_found', 'no_libraries_found'].includes(error.code)) return error
  const advice = sentKey
    ? 'Private libraries are not shown, because the key that you sent is unknown, expired or revoked in this install.'
    : `Private libraries are only shown with a key of this install: send "Authorization: Bearer ${keyPrefixes.onprem}…".`
  return new AppError(error.code, `${error.message} ${advice}`, { cause: error, fields: error.fields })
}
