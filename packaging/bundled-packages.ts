import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.ts'

/** A package of others whose code is in the bundle. */
export type BundledPackage = {
  name: string
  version: string
  /** SPDX expression. */
  license: string
  author: string
  /** The texts of its license and notice files. */
  texts: string[]
}

/** The folder of the package that a file belongs to. */
const packageFolder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//
const licenseFile = /^(licen[cs]e|copying|notice)/i

/** The packages of others that these files belong to, by name. Versions of one package are listed separately. */
export function bundledPackages(inputs: string[]): BundledPackage[] {
  const folders = new Set(inputs.flatMap((path) => packageFolder.exec(path.replace(/^[\w-]+:/, ''))?.[1] ?? []))
  const found = [...folders].map((folder) => readPackage(folder.startsWith('/') ? folder : join(root, folder)))
  return [...new Map(found.map((each) => [`${each.name}@${each.version}`, each])).values()].toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )
}

function readPackage(folder: string): BundledPackage {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder).filter((name) => licenseFile.test(name))
  return {
    name: manifest.name,
    version: manifest.version,
    license: manifest.license,
    author: manifest.author?.name ?? manifest.author ?? `the authors of ${manifest.name}`,
    texts: files.map((name) => readFileSync(join(folder, name), 'utf8').trim()),
  }
}
