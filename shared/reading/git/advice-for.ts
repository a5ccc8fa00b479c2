const registries: Record<string, string> = {
  'anaconda.org': 'Anaconda',
  'central.sonatype.com': 'Maven Central',
  'crates.io': 'crates.io',
  'docs.rs': 'docs.rs',
  'hex.pm': 'Hex',
  'hexdocs.pm': 'Hex',
  'hub.docker.com': 'Docker Hub',
  'jsr.io': 'JSR',
  'lib.rs': 'lib.rs',
  'metacpan.org': 'MetaCPAN',
  'mvnrepository.com': 'Maven',
  'npmjs.com': 'npm',
  'nuget.org': 'NuGet',
  'packagist.org': 'Packagist',
  'pkg.go.dev': 'pkg.go.dev',
  'pub.dev': 'pub.dev',
  'pypi.org': 'PyPI',
  'rubygems.org': 'RubyGems',
  'search.maven.org': 'Maven Central',
}

const gitServer = /^(?:bitbucket|codeberg|forgejo|ghe|git|gitea|github|gitlab|gogs)\./
const ofPackage = 'To add a package, send the address of its git repository on one of these hosts.'
const orRepository = 'or send the address of its git repository on one of these hosts.'

/** The address to send instead of one whose host is not in the settings. */
export function adviceFor({ hostname, port, pathname }: URL): string {
  const host = hostname.replace(/^www\./, '')
  const registry = registries[host]
  if (registry !== undefined) return `${registry} is a package registry. ${ofPackage}`
  if (/\/llms(?:-\w+)?\.txt$/i.test(pathname)) return `Add this file as an llms.txt, ${orRepository}`
  if (isGitServer(host, port, pathname)) {
    return 'Write the address that way, or add its host to the setting git.hosts.'
  }
  return `Add this documentation as a website, ${orRepository}`
}

/** True for the page of a package, and for the address of a repository on a host that the settings do not name. */
export const seemsRepository = ({ hostname, pathname }: URL): boolean =>
  Object.hasOwn(registries, hostname.replace(/^www\./, '')) || pathname.endsWith('.git') || gitServer.test(hostname)

/** Servers of an own network are named by IP address, by one word or with a port. */
const isGitServer = (host: string, port: string, path: string): boolean =>
  path.endsWith('.git') ||
  (/^[^/]+\/[^/]/.test(path.slice(1)) && (port !== '' || !/\.[a-z][\w-]*$/.test(host) || gitServer.test(host)))
