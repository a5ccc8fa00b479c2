import { lstat, opendir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Manifest, manifestReader } from './package-manifests.ts'

/** What a repository's own manifests call it. */
export type PackageNames = { names: string[]; title?: string; description?: string }

const mostNames = 200
const mostEntries = 2_000
const mostBytes = 512 * 1024
const packageFolders = ['packages', 'crates', 'libs', 'modules', 'src']
const exampleFolder = /^(examples?|demos?|playgrounds?|samples?|tests?|e2e|bench(marks?)?|docs?|website|fixtures?|templates?)$/i
const packageName = /^[^\s<>"'`$%{}\\]{1,200}$/

/** Names under which people install what the repository holds, the root's first. Never throws: what cannot be read counts as absent. */
export async function packageNames(root: string): Promise<PackageNames> {
  const found = await readManifests(root)
  const names = new Set(namesOf(found))
  for (const parent of packageFolders) {
    for (const folder of await listFolder(join(root, parent))) {
      if (names.size >= mostNames) break
      if (!folder.isFolder || exampleFolder.test(folder.name)) continue
      for (const name of namesOf(await readManifests(join(root, parent, folder.name)))) names.add(name)
    }
  }
  return {
    names: [...names].slice(0, mostNames),
    title: found.find(({ title }) => title !== undefined)?.title,
    description: found.find(({ description }) => description !== undefined)?.description,
  }
}

const namesOf = (manifests: Manifest[]): string[] =>
  manifests.flatMap(({ name, isPrivate }) => (name !== undefined && !isPrivate && packageName.test(name) ? [name] : []))

async function readManifests(folder: string): Promise<Manifest[]> {
  const manifests: Manifest[] = []
  for (const { name, isFolder } of await listFolder(folder)) {
    const read = isFolder ? undefined : manifestReader(name)
    const text = read && (await readSmall(join(folder, name)))
    if (read && text !== undefined) manifests.push(await read(text).catch(() => ({})))
  }
  return manifests
}

/** Folders and regular files by name; links are left out, so that nothing outside the repository is read. */
async function listFolder(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
  const entries: { name: string; isFolder: boolean }[] = []
  try {
    if (!(await lstat(folder)).isDirectory()) return []
    for await (const entry of await opendir(folder)) {
      if (entry.isFile() || entry.isDirectory()) entries.push({ name: entry.name, isFolder: entry.isDirectory() })
      if (entries.length >= mostEntries) break
    }
  } catch {
    return []
  }
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1))
}

async function readSmall(file: string): Promise<string | undefined> {
  try {
    return (await lstat(file)).size <= mostBytes ? await readFile(file, 'utf8') : undefined
  } catch {
    return undefined
  }
}
