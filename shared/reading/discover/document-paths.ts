import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { documentKind } from './document-kind.ts'
import { junkOf } from './junk.ts'
import { isSiteConfig } from './languages/site-languages.ts'
import type { Selector } from './selection.ts'
import { isVersionsFile } from './site-versions.ts'

/** Translations and versions beyond these are not recognised. */
const maxPaths = 300_000
const maxConfigs = 50

/** The paths of all documents of a clone that a selection includes, and of the configurations of its sites, without reading a file. */
export async function documentPaths(root: string, select: Selector): Promise<{ paths: string[]; configs: string[] }> {
  const paths: string[] = []
  const configs: string[] = []
  const waiting = ['']
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await opendir(join(root, folder), { bufferSize: 256 }).catch(() => undefined)
    if (!entries) continue
    for await (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (select.excludedBy(path) === undefined && isOfSite(path, entry.name, select)) waiting.push(path)
      } else if (entry.isFile()) {
        if (configs.length < maxConfigs && (isSiteConfig(path) || isVersionsFile(path))) configs.push(path)
        if (documentKind(path) === 'document' && select.includes(path) && !junkOf(path, select.leadsToNamed)) paths.push(path)
        if (paths.length >= maxPaths) return { paths: paths.sort(), configs: configs.sort() }
      }
    }
  }
  return { paths: paths.sort(), configs: configs.sort() }
}

/** Folders of tools hold configurations, those of packages hold foreign ones. */
const isOfSite = (path: string, name: string, { leadsToNamed }: Selector): boolean =>
  name === '.vitepress' || name === '.vuepress' || junkOf(`${path}/page.md`, leadsToNamed) === undefined
