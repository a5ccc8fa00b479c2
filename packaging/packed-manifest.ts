import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runtimePackages } from '../shared/ai/local/runtime.ts'
import { supportedNode } from '../shared/system/require-node.cjs'
import { root } from './root.ts'

type Manifest = {
  name: string
  version: string
  description: string
  license: string
  optionalDependencies: Record<string, string>
}

/**
 * The manifest of the published package. It depends only on LanceDB's native module, of which npm installs the one for the
 * platform. A dependency on `@lancedb/lancedb` itself would also install packages for embeddings that Carrel does not use.
 */
export function packedManifest() {
  const { name, version, description, license } = readManifest('.')
  const { optionalDependencies } = readManifest('node_modules/@lancedb/lancedb')
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { carrel: 'bin/carrel.cjs' },
    engines: { node: supportedNode },
    os: ['linux', 'darwin'],
    optionalDependencies: Object.fromEntries(
      Object.entries(optionalDependencies).filter(([name]) => /^@lancedb\/lancedb-(linux|darwin)-/.test(name)),
    ),
    // npm does not install optional peers. They are for local models.
    peerDependencies: runtimePackages,
    peerDependenciesMeta: Object.fromEntries(Object.keys(runtimePackages).map((name) => [name, { optional: true }])),
  }
}

const readManifest = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
