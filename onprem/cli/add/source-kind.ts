import { existsSync } from 'node:fs'
import { allowedUrl } from '../../../shared/network/allowed-hosts.ts'
import { findRepository } from '../../../shared/packages/find-repository.ts'
import { documentKind } from '../../../shared/reading/discover/document-kind.ts'
import { seemsRepository } from '../../../shared/reading/git/advice-for.ts'
import { type GitHosts, listHosts } from '../../../shared/reading/git/git-hosts.ts'
import { confluencePlace, readConfluenceAddress } from '../../../shared/schemas/confluence-site.ts'
import { describedFile } from '../../../shared/sources/uploads/upload-limits.ts'

/** The kinds of an address that can be chosen. */
export const addressKinds = ['repository', 'website', 'llmstxt', 'openapi', 'confluence'] as const
export type AddressKind = (typeof addressKinds)[number]
export type SourceKind = AddressKind | 'files' | 'openapi-upload'

/** The hosts in the settings. */
type KnownHosts = { git: GitHosts; allowed: readonly string[]; confluence?: string | null | undefined }

/** The kind of a source by its address or path. Only the local disk is asked. */
export function sourceKind(text: string, hosts: KnownHosts): SourceKind {
  if (isLocalPath(text)) return describedFile.test(text) ? 'openapi-upload' : 'files'
  const url = /^https?:\/\//i.test(text) ? URL.parse(text.trim()) : null
  if (url !== null && isConfluence(url, hosts)) return 'confluence'
  return url === null || isRepository(text, url, hosts) ? 'repository' : kindByPath(url)
}

/** An address of Confluence Cloud, or a space or page of the site in the settings. */
function isConfluence({ href, hostname }: URL, { confluence }: KnownHosts): boolean {
  if (hostname.endsWith('.atlassian.net')) return true
  const site = readConfluenceAddress(confluence ?? '')?.site
  return site !== undefined && confluencePlace(href)?.siteUrl === site
}

function kindByPath({ pathname }: URL): AddressKind {
  if (/\/llms(?:-full|-small)?\.txt$/i.test(pathname)) return 'llmstxt'
  return /\.(?:json|ya?ml)$/i.test(pathname) ? 'openapi' : 'website'
}

/** `docs` may be a package and `/acme/docs` a repository, so only a path that is written as one, or that exists as a document, is a path. */
function isLocalPath(text: string): boolean {
  if (/^\.{1,2}(?:[\\/]|$)/.test(text)) return true
  if (/^(?:[\\/]|[a-z]:[\\/])/i.test(text)) return existsSync(text)
  return !/^[a-z]+:/i.test(text) && isDocument(text) && existsSync(text)
}

export const isZip = (path: string): boolean => /\.zip$/i.test(path)

/** A document that is read, or a zip. */
export function isDocument(path: string): boolean {
  const kind = documentKind(path)
  return isZip(path) || (kind !== undefined && kind !== 'unread')
}

/** A host that documentation may be read from is asked for documentation, also if its name is that of a git server. */
function isRepository(text: string, url: URL, { git, allowed }: KnownHosts): boolean {
  if (listHosts(git).some(({ baseUrl }) => new URL(baseUrl).host === url.host) || succeeds(() => findRepository(text, git)))
    return true
  const isAllowed = succeeds(() => allowedUrl(text, { allowedHosts: () => allowed, mayBePrivate: true }))
  return !isAllowed && seemsRepository(url)
}

function succeeds(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}
