import { statisticsSuffix } from '../../shared/store/generation-format.ts'

/** The two tables of a generation. */
export type Part = 'rows' | 'statistics'

export const folderOf = (generation: string, part: Part): string =>
  `${generation}${part === 'statistics' ? statisticsSuffix : ''}.lance`

/** The list of the files of a generation. It is in the folder of a table, so that it is deleted with the generation. */
export const listPath = (generation: string): string => `${folderOf(generation, 'statistics')}/files.json`
