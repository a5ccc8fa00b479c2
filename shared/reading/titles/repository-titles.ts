import { configFolders, configReaders } from './config-reader.ts'
import { readInside } from './read-inside.ts'
import { type ReadPage, readmeTitles } from './readme-titles.ts'
import { namesIn, siteFolders } from './site-folders.ts'
import type { Titled } from './titled.ts'

/** Titles and descriptions in a repository, the most trusted source first. `folders` are those that are read. Never throws. */
export const repositoryTitles = async (root: string, folders: string[], readPage: ReadPage): Promise<Titled[]> => [
  ...(await siteTitles(root, folders)),
  await readmeTitles(root, readPage),
]

const maxConfigs = 8

/**
 * Title and description in the configurations of the documentation sites of a repository, the first to use first. `folders` are those that are
 * read. Never throws: a configuration that cannot be read is ignored.
 */
export async function siteTitles(root: string, folders: string[]): Promise<Titled[]> {
  const titles: Titled[] = []
  for (const folder of await siteFolders(root, folders)) {
    for (const { path, read } of configReaders(await pathsIn(root, folder))) {
      const source = await readInside(root, `${folder}/${path}`)
      if (source !== undefined) titles.push(await read(source).catch(() => ({})))
      if (titles.length >= maxConfigs) return titles
    }
  }
  return titles
}

async function pathsIn(root: string, folder: string): Promise<string[]> {
  const paths = await namesIn(root, folder)
  const within = configFolders.filter((each) => paths.includes(each.split('/')[0] ?? ''))
  for (const each of within) for (const name of await namesIn(root, `${folder}/${each}`)) paths.push(`${each}/${name}`)
  return paths
}
