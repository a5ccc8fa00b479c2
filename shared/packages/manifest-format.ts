import { readCargoToml } from './manifests/cargo.ts'
import { readGoMod } from './manifests/go-mod.ts'
import type { ManifestReader } from './manifests/named.ts'
import { readNpmLock, readPackageJson } from './manifests/npm.ts'
import { readPnpmLock } from './manifests/pnpm.ts'
import { readPom } from './manifests/pom.ts'
import { readPyproject, readRequirements } from './manifests/requirements.ts'
import { readTomlLock } from './manifests/toml-lock.ts'
import { readYarnLock } from './manifests/yarn.ts'

const [MiB, tenMiB] = [1024 * 1024, 10 * 1024 * 1024]

type Format = {
  /** Its usual file name. */
  name: string
  file: RegExp
  /** Finds the format of a text without a file name, tried in this order. */
  content: RegExp
  read: ManifestReader
  maxBytes: number
}

/** Files that people write go through a full parser and rarely have 100 kB; files of 10 MB are written by programs. */
const formats: readonly Format[] = [
  {
    name: 'package-lock.json',
    file: /^(?:package-lock|npm-shrinkwrap)\.json$/,
    content: /^\s*\{[\s\S]{0,2000}"lockfileVersion"/,
    read: readNpmLock,
    maxBytes: tenMiB,
  },
  { name: 'package.json', file: /^package\.json$/, content: /^\s*\{/, read: readPackageJson, maxBytes: MiB },
  { name: 'pnpm-lock.yaml', file: /^pnpm-lock\.ya?ml$/, content: /^lockfileVersion:/m, read: readPnpmLock, maxBytes: tenMiB },
  { name: 'yarn.lock', file: /^yarn\.lock$/, content: /^# yarn lockfile|^__metadata:/m, read: readYarnLock, maxBytes: tenMiB },
  {
    name: 'Cargo.lock',
    file: /^Cargo\.lock$/,
    content: /^source = "registry\+/m,
    read: (text) => readTomlLock('crates', text),
    maxBytes: tenMiB,
  },
  {
    name: 'uv.lock',
    file: /^(?:poetry|uv|pdm)\.lock$/,
    content: /^\[\[package\]\]/m,
    read: (text) => readTomlLock('pypi', text),
    maxBytes: tenMiB,
  },
  {
    name: 'pyproject.toml',
    file: /^pyproject\.toml$/,
    content: /^\[(?:project|tool\.poetry|build-system|dependency-groups)\b/m,
    read: readPyproject,
    maxBytes: MiB,
  },
  {
    name: 'Cargo.toml',
    file: /^Cargo\.toml$/,
    content: /^\[(?:package|workspace|(?:dev-|build-)?dependencies)\b/m,
    read: readCargoToml,
    maxBytes: MiB,
  },
  { name: 'go.mod', file: /^go\.mod$/, content: /^(?:module|require)\s/m, read: readGoMod, maxBytes: MiB },
  { name: 'pom.xml', file: /^(?:pom\.xml|[\w.-]+\.pom)$/, content: /^\s*<(?:\?xml|project)/, read: readPom, maxBytes: MiB },
  {
    name: 'requirements.txt',
    file: /^(?:[a-z\d]+[-_.])?requirements(?:[-_.][a-z\d]+)?\.(?:txt|in)$/i,
    content: /^[ \t]*[A-Za-z0-9][\w.-]*(?:\[[\w, -]*\])?[ \t]*(?:[=~!<>]=|[<>])[ \t]*\d/m,
    read: readRequirements,
    maxBytes: MiB,
  },
]

/** The files whose packages are found, for sentences. */
export const manifestNames =
  'package.json, package-lock.json, pnpm-lock.yaml, yarn.lock, requirements.txt, pyproject.toml, poetry.lock, uv.lock, go.mod, Cargo.toml, Cargo.lock and pom.xml'

/** The format of a file, whose name may have folders before it. */
export const formatOfFile = (fileName: string): Format | undefined => {
  const name = fileName.slice(-300).split(/[/\\]/).at(-1) ?? ''
  return formats.find(({ file }) => file.test(name))
}

/** The format that a text is in; undefined for other texts, such as a list of addresses. */
export const formatOfText = (text: string): Format | undefined => formats.find(({ content }) => content.test(text))
