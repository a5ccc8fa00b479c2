import { readScript, type Script } from '../../text/read-script.ts'
import { joined } from './languages/named-places.ts'

/** The versions of the documents of a Docusaurus site. */
export type SiteVersions = {
  /** The folder that holds them. */
  folder: string
  /** Newest first. */
  names: string[]
  /** The one that the site shows by default, a folder name. Undefined for the documents next to the folder. */
  shown: string | undefined
}

const list = /(?:^|\/)(?:([^/]{1,100})_)?versions\.json$/
const config = /(?:^|\/)docusaurus\.config\.[cm]?[jt]s$/
const maxVersions = 500

/** A setting of a Hugo site, as a line: `latest_stable_version: v3.7`. */
const stable = /^[ \t]*latest_?(?:stable_?)?version[ \t]*[:=][ \t]*["']?(v?\d[\w.-]{0,30})["']?[ \t]*$/im
const hugo = /(?:^|\/)(?:hugo|config|params)\.(?:toml|ya?ml)$/

/** Names of folders of versions that the settings of sites call the latest. Newer ones are not released. */
export const latestVersions = (files: { path: string; text: string }[]): Set<string> =>
  new Set(files.flatMap(({ path, text }) => (hugo.test(path) ? (stable.exec(text)?.[1] ?? []) : [])))

const parameters = /(?:^|\/)config\/_default\/params\.(?:toml|ya?ml)$/

/** True for a file that is no configuration of languages, but tells versions. */
export const isVersionsFile = (path: string): boolean => list.test(path) || parameters.test(path)

/**
 * The versions that sites have according to `versions.json`, or `api_versions.json` for the documents named `api`. A site shows the first of
 * the list, unless `lastVersion` of its configuration names another. Configurations are read as text and never run.
 */
export async function siteVersions(files: { path: string; text: string }[]): Promise<SiteVersions[]> {
  const chosen = new Map<string, string>()
  for (const { path, text } of files)
    if (config.test(path))
      for (const { id, version } of lastVersions(await readScript(text)))
        chosen.set(versionedDocs(path.replace(config, ''), id), version)
  return files.flatMap(({ path, text }) => {
    const names = list.test(path) ? namesIn(text) : []
    const [newest] = names
    if (newest === undefined) return []
    const folder = versionedDocs(path.replace(list, ''), list.exec(path)?.[1])
    const last = chosen.get(folder)
    const version = last === 'current' || names.includes(last ?? '') ? last : newest
    return [{ folder, names: names.map(folderName), shown: version === 'current' ? undefined : folderName(version ?? newest) }]
  })
}

const folderName = (version: string): string => `version-${version}`
const versionedDocs = (site: string, id = ''): string => joined(site, id === '' ? 'versioned_docs' : `${id}_versioned_docs`)

function namesIn(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text)
    const isList = Array.isArray(value) && value.length <= maxVersions
    return isList && value.every((each) => typeof each === 'string') ? value : []
  } catch {
    return []
  }
}

/** `lastVersion: '2.x'` in the options of documents, with their `id: 'api'`. */
function lastVersions({ tokens, closing }: Script): { id: string | undefined; version: string }[] {
  const found: { id: string | undefined; version: string }[] = []
  const open: { at: number; id: string | undefined; version: string | undefined }[] = []
  tokens.forEach(({ type, value }, at) => {
    while (open.length > 0 && closing.get(open.at(-1)?.at ?? 0) === at) {
      const { id, version } = open.pop() ?? {}
      if (version !== undefined) found.push({ id: id === 'default' ? undefined : id, version })
    }
    if (closing.has(at)) open.push({ at, id: undefined, version: undefined })
    const text = tokens[at + 1]?.type === ':' && tokens[at + 2]?.type === 'string' ? tokens[at + 2]?.value : undefined
    const options = open.at(-1)
    if (!options || type !== 'name' || text === undefined) return
    if (value === 'id') options.id = text
    if (value === 'lastVersion') options.version = text
  })
  return found
}
