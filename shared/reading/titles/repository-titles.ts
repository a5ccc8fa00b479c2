import { type ReadPage, readmeTitles } from './readme-titles.ts'
import { siteTitles } from './site-titles.ts'
import type { Titled } from './titled.ts'

/** Titles and descriptions in a repository, the most trusted source first. `folders` are those that are read. Never throws. */
export const repositoryTitles = async (root: string, folders: string[], readPage: ReadPage): Promise<Titled[]> => [
  ...(await siteTitles(root, folders)),
  await readmeTitles(root, readPage),
]
