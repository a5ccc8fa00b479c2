import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Package } from '../onprem/support/read-package.ts'
import type { ThirdPartyPackage } from '../onprem/support/third-party-packages.ts'
import { sourceLanguages } from '../shared/reading/api-reference/parse-source.ts'
import { bundle } from './bundle.ts'
import { bundledPackages } from './bundled-packages.ts'
import { packedManifest } from './packed-manifest.ts'
import { root } from './root.ts'
import { licenseText, thirdPartyLicenses } from './third-party-licenses.ts'

/** Writes the package that is published: `npm run build -- FOLDER`, default `dist`. */
const dist = process.argv[2] ?? join(root, 'dist')

rmSync(dist, { recursive: true, force: true })
mkdirSync(join(dist, 'bin'), { recursive: true })
// The image has a model there.
mkdirSync(join(dist, 'lib/models'), { recursive: true })
const { outputs } = await bundle(join(dist, 'lib'))
execFileSync('sh', ['shared/web/build/build-if-stale.sh', 'onprem'], { cwd: root, stdio: 'inherit' })
const web = join(root, 'onprem/web/dist')
const lists = ['inputs', 'packages'].map((name) => join(web, name))
cpSync(web, join(dist, 'lib/web/dist'), { recursive: true, filter: (path) => !lists.includes(path) })
cpSync(join(root, 'shared/keys/vendor'), join(dist, 'lib/vendor'), { recursive: true })
for (const data of ['shared/search/words/data', 'shared/screening/data'])
  cpSync(join(root, data), join(dist, 'lib/data'), { recursive: true })
for (const name of ['', ...sourceLanguages.map((language) => `-${language}`)])
  cpSync(
    join(root, `node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter${name}.wasm`),
    join(dist, `lib/grammars/tree-sitter${name}.wasm`),
  )
for (const file of ['packaging/carrel.cjs', 'shared/system/require-node.cjs'])
  cpSync(join(root, file), join(dist, 'bin', basename(file)))
for (const file of ['packaging/README.md', 'LICENSE', 'NOTICE']) cpSync(join(root, file), join(dist, basename(file)))
for (const file of globSync('onprem/monitoring/*.{json,yaml}', { cwd: root }))
  cpSync(join(root, file), join(dist, 'monitoring', basename(file)))
for (const page of globSync('docs/{*.md,images}', { cwd: root })) cpSync(join(root, page), join(dist, page), { recursive: true })
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(packedManifest(), null, 2)}\n`)
const inputs = [
  ...Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)),
  ...readFileSync(join(web, 'packages'), 'utf8').trim().split('\n'),
]
const packages = bundledPackages(inputs)
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), thirdPartyLicenses(packages))
writeFileSync(join(dist, 'lib/third-party-packages.json'), JSON.stringify(packages.map(thirdPartyPackage)))
checkFiles(join(dist, 'lib'))

function thirdPartyPackage(each: Package): ThirdPartyPackage {
  const { name, version, license } = each
  return { name, version, license, text: licenseText(each) }
}

/** Throws if the bundle reads a file next to itself that is not there. */
function checkFiles(lib: string): void {
  for (const path of globSync(join(lib, '*.js')))
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(/new URL\("\.\/([^"]+)", import\.meta\.url\)/g))
      if (!existsSync(join(lib, name))) throw new Error(`The bundle reads ${name}, which packaging/build.ts does not copy.`)
}
