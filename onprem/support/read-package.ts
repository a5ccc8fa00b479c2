import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package of others. */
export type Package = {
  name: string
  version: string
  /** SPDX expression. */
  license: string
  author: string
  /** The texts of its license and notice files. */
  texts: string[]
}

const licenseFile = /^(licen[cs]e|copying|notice)/i

/** Reads a package from its folder in node_modules. */
export function readPackage(folder: string): Package {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder).filter((name) => licenseFile.test(name))
  return {
    name: manifest.name,
    version: manifest.version,
    license: manifest.license ?? manifest.licenses?.[0]?.type ?? 'not named',
    author: manifest.author?.name ?? manifest.author ?? `the authors of ${manifest.name}`,
    texts: files.map((name) => readFileSync(join(folder, name), 'utf8').trim()),
  }
}
