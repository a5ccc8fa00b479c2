import { join } from 'node:path'
import { type Package, readPackage } from '../onprem/support/read-package.ts'
import { root } from './root.ts'

/** The folder of the package that a file belongs to. */
const packageFolder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//

/** The packages of others that these files belong to, by name. Versions of one package are listed separately. */
export function bundledPackages(inputs: string[]): Package[] {
  const folders = new Set(inputs.flatMap((path) => packageFolder.exec(path.replace(/^[\w-]+:/, ''))?.[1] ?? []))
  const packages = [...folders].map((folder) => readPackage(folder.startsWith('/') ? folder : join(root, folder)))
  return [...new Map(packages.map((each) => [`${each.name}@${each.version}`, each])).values()].toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )
}
