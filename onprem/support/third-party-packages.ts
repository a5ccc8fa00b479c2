import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { readPackage } from './read-package.ts'

export const ThirdPartyPackage = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().describe('SPDX expression'),
  text: z.string().describe('The texts of its license and notice files; empty if it has none'),
})
export type ThirdPartyPackage = z.infer<typeof ThirdPartyPackage>

/** Part of the package. A checkout has no such file. */
const builtList = new URL('./third-party-packages.json', import.meta.url)
const checkout = new URL('../../', import.meta.url)

type Lockfile = { packages: Record<string, { dev?: boolean }> }

/** The packages of others whose code this program contains or loads, by name. */
export const thirdPartyPackages = (): ThirdPartyPackage[] =>
  existsSync(builtList) ? JSON.parse(readFileSync(builtList, 'utf8')) : installedPackages()

/** Those that are installed for the server of a checkout. Packages of the web UI are in the list of its build. */
function installedPackages(): ThirdPartyPackage[] {
  const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', checkout), 'utf8')) as Lockfile
  const folders = Object.entries(packages).flatMap(([path, { dev }]) => (path === '' || dev ? [] : [path]))
  const installed = folders
    .map((path) => fileURLToPath(new URL(path, checkout)))
    .filter((folder) => existsSync(`${folder}/package.json`))
    .map(readPackage)
    .map(({ name, version, license, texts }) => ({ name, version, license, text: texts.join('\n\n') }))
  return [...new Map(installed.map((each) => [`${each.name}@${each.version}`, each])).values()].toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )
}
