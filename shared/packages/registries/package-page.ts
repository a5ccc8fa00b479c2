import { type Ecosystem, type PackageName, packageName } from './package-name.ts'

type Site = { ecosystem: Ecosystem; below: string; nameIn: (path: string[]) => string | undefined }

const first = ([name]: string[]): string | undefined => name
const withScope = ([name, second]: string[]): string | undefined => (name?.startsWith('@') ? second && `${name}/${second}` : name)
const groupAndArtifact = ([group, artifact]: string[]): string | undefined => artifact && `${group}:${artifact}`
const modulePath = (path: string[]): string => path.join('/').replace(/@.*$/s, '')

const sites: Readonly<Record<string, Site>> = {
  'npmjs.com': { ecosystem: 'npm', below: 'package', nameIn: withScope },
  'pypi.org': { ecosystem: 'pypi', below: 'project', nameIn: first },
  'crates.io': { ecosystem: 'crates', below: 'crates', nameIn: first },
  'lib.rs': { ecosystem: 'crates', below: 'crates', nameIn: first },
  'docs.rs': { ecosystem: 'crates', below: '', nameIn: first },
  'pkg.go.dev': { ecosystem: 'go', below: '', nameIn: modulePath },
  'central.sonatype.com': { ecosystem: 'maven', below: 'artifact', nameIn: groupAndArtifact },
  'search.maven.org': { ecosystem: 'maven', below: 'artifact', nameIn: groupAndArtifact },
  'mvnrepository.com': { ecosystem: 'maven', below: 'artifact', nameIn: groupAndArtifact },
  'nuget.org': { ecosystem: 'nuget', below: 'packages', nameIn: first },
  'rubygems.org': { ecosystem: 'rubygems', below: 'gems', nameIn: first },
}

/** The package whose page in a registry an address is, with or without its scheme; undefined for other addresses. Nothing is requested. */
export function packageOfPage(address: string): PackageName | undefined {
  const url = URL.parse(/^https?:\/\//i.test(address) ? address : `https://${address}`)
  const host = url?.hostname.replace(/^www\./, '') ?? ''
  const site = Object.hasOwn(sites, host) ? sites[host] : undefined
  if (!url || !site) return undefined
  const path = decoded(url.pathname)
    .split('/')
    .filter((segment) => segment !== '')
  if (site.below !== '' && path.shift() !== site.below) return undefined
  const name = site.nameIn(path)
  return name === undefined ? undefined : packageName(site.ecosystem, name)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
