import { closeSync, openSync, readSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { shownLanguage } from '../../text/language-codes.ts'
import { decodeText } from './decode-text.ts'
import { documentPaths } from './document-paths.ts'
import { chooseLanguages, type DocumentLanguages } from './languages/choose-languages.ts'
import { type SiteLanguages, siteLanguages } from './languages/site-languages.ts'
import { findTranslations } from './languages/translations.ts'
import type { Selection, Selector } from './selection.ts'
import { latestVersions, siteVersions } from './site-versions.ts'
import { versionFolders } from './version-folders.ts'

/** Languages and versions of documents, judged by the paths of all of them. */
export type Survey = {
  languages: DocumentLanguages
  /** The language of a document. Undefined if it is unknown, or if all documents have the same. */
  languageOf(path: string): string | undefined
  /** The reason why a folder is not read: its language, or a newer version. */
  whyFolder(path: string): string | undefined
  /** The reason why a document of a folder that is read is not read. */
  whyFile(path: string): string | undefined
}

const sampleBytes = 8_000
const configBytes = 256 * 1024

export async function surveyDocuments(root: string, select: Selector, { languages: requested }: Selection): Promise<Survey> {
  const { paths, configs } = await documentPaths(root, select)
  const files = configs.map((path) => ({ path, text: readStart(root, path, configBytes) ?? '' }))
  const sites: SiteLanguages[] = []
  for (const { path, text } of files) {
    const site = await siteLanguages(path, text)
    if (site) sites.push(site)
  }
  const translations = findTranslations(paths, sites, (path) => readStart(root, path, sampleBytes))
  const named = [...translations.folders].flatMap(([folder, code]) => (select.leadsToNamed(folder) ? [code] : []))
  const languages = chooseLanguages(translations, { requested, named })
  const read = new Set(languages.read)
  const versions = versionFolders(paths, { sites: await siteVersions(files), latest: latestVersions(files) })
  const languageOf = (path: string) => (languages.existing.length > 1 ? translations.languageOf(path) : undefined)
  const whyLanguage = (code: string | undefined) =>
    code === undefined || read.has(code) ? undefined : `in ${shownLanguage(code)}, which languages does not name`
  return {
    languages,
    languageOf,
    whyFolder(path) {
      const version = select.leadsToNamed(path) ? undefined : versions.get(path)
      if (version) return `an ${version.isUnreleased ? 'unreleased' : 'older'} version of ${version.newest}/`
      return whyLanguage(translations.folders.get(path))
    },
    whyFile: (path) => whyLanguage(languageOf(path)),
  }
}

/** The beginning of a file. Undefined if it does not exist, is not text, or is a link that leads out of the repository. */
function readStart(root: string, path: string, maxBytes: number): string | undefined {
  let file: number | undefined
  try {
    const real = realpathSync.native(join(root, path))
    if (!real.startsWith(root + sep)) return undefined
    file = openSync(real, 'r')
    const bytes = Buffer.alloc(maxBytes)
    const text = decodeText(bytes.subarray(0, readSync(file, bytes, 0, maxBytes, 0)))
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
