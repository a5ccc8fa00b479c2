import { type LibraryId, parseLibraryId, printLibraryId } from '../../../shared/library.ts'

/** Reads an id from the command line, where the first slash can be omitted. Throws what `parseLibraryId` throws. */
export const readLibraryArgument = (text: string): LibraryId => parseLibraryId(text.startsWith('/') ? text : `/${text}`)

/** The id as a parameter of a path. Hono's client encodes no parameters. */
export const pathOf = (id: LibraryId): string => printLibraryId(id).slice(1).split('/').map(encodeURIComponent).join('/')
