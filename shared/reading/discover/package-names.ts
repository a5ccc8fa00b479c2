import { lstat, opendir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Manifest, type ManifestReader, manifestReader } from './manifest-reader.ts'

/** Names, title and description from the manifests of a repository. */
export type PackageNames = { names: string[]; title?: string; description?: string }

type ManifestFile = { path: string; read: ManifestReader }

const maxNames = 200
const maxEntries = 2_000
const maxManifests = 300
const maxBytes = 64 * 1024
const packageFolders = ['packages', 'crates', 'libs', 'modules', 'src']
const exampleFolder = /^(examples?|demos?|playgrounds?|samples?|tests?|e2e|bench(marks?)?|docs?|website|fixtures?|templates?)$/i
const packageName = /^[^\s<>"'`$%{}\\]{1,200}$/

/** The names of a repository's packages, those in the root first. Never throws: an unreadable manifest is ignored. */
export async function packageNames(root: string): Promise<PackageNames> {
  const own = (await manifestFiles(root)).slice(0, maxManifests)
  const manifests = await readManifests(own)
  const names = new Set(namesOf(manifests))
  let left = maxManifests - own.length
  for (const folder of await foldersOfPackages(root)) {
    if (names.size >= maxNames || left <= 0) break
    const files = (await manifestFiles(folder)).slice(0, left)
    left -= files.length
    for (const name of namesOf(await readManifests(files))) names.add(name)
  }
  return {
    names: [...names].slice(0, maxNames),
    title: manifests.find(({ title }) => title !== undefined)?.title ?? namesOf(manifests).find(isTitle),
    description: manifests.find(({ description }) => description !== undefined)?.description,
  }
}

/** Addresses such as `github.com/acme/core` are no titles. */
const isTitle = (name: string): boolean => !name.replace(/^@[^/]+\//, '').includes('/')

const namesOf = (manifests: Manifest[]): string[] =>
  manifests.flatMap(({ name, isPrivate }) => (name !== undefined && !isPrivate && packageName.test(name) ? [name] : []))

async function foldersOfPackages(root: string): Promise<string[]> {
  const folders: string[] = []
  for (const parent of packageFolders) {
    for (const { name, isFolder } of await listFolder(join(root, parent))) {
      if (isFolder && !exampleFolder.test(name)) folders.push(join(root, parent, name))
    }
  }
  return folders
}

async function manifestFiles(folder: string): Promise<ManifestFile[]> {
  return (await listFolder(folder)).flatMap(({ name, isFolder }) => {
    const read = isFolder ? undefined : manifestReader(name)
    return read ? [{ path: join(folder, name), read }] : []
  })
}

async function readManifests(files: ManifestFile[]): Promise<Manifest[]> {
  const manifests: Manifest[] = []
  for (const { path, read } of files) {
    const text = await readSmall(path)
    if (text !== undefined) manifests.push(await read(text).catch(() => ({})))
  }
  return manifests
}

/** Folders and regular files, sorted by name. Links are skipped, so that nothing outside the repository is read. */
async function listFolder(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
  const entries: { name: string; isFolder: boolean }[] = []
  try {
    if (!(await lstat(folder)).isDirectory()) return []
    for await (const entry of await opendir(folder)) {
      if (entry.isFile() || entry.isDirectory()) entries.push({ name: entry.name, isFolder: entry.isDirectory() })
      if (entries.length >= maxEntries) break
    }
  } catch {
    return []
  }
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1))
}

async function readSmall(file: string): Promise<string | undefined> {
  try {
    return (await lstat(file)).size <= maxBytes ? await readFile(file, 'utf8') : undefined
  } catch {
    return undefined
  }
}
