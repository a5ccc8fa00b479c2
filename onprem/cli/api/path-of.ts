import { type LibraryId, printLibraryId } from '../../../shared/library.ts'

/** The id as a parameter of a path. Hono's client encodes no parameters. */
export const pathOf = (id: LibraryId): string => printLibraryId(id).slice(1).split('/').map(encodeURIComponent).join('/')
