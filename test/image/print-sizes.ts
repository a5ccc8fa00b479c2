import { ok } from 'node:assert/strict'
import { join } from 'node:path'
import { run } from './run.ts'

const maxMb = 430
const carrel = 'usr/local/lib/carrel'
const parts: Record<string, string[]> = {
  "LanceDB's native module": [`${carrel}/node_modules/@lancedb`],
  'the packages that run models': ['onnxruntime-node', 'onnxruntime-common', '@huggingface'].map(
    (name) => `${carrel}/node_modules/${name}`,
  ),
  'Carrel with the bundled packages and the model': [`${carrel}/lib`, `${carrel}/bin`],
  'licenses, SBOM and docs of Carrel': [
    'THIRD-PARTY-LICENSES.txt',
    'sbom.cdx.json',
    'LICENSE',
    'NOTICE',
    'README.md',
    'package.json',
  ].map((name) => `${carrel}/${name}`),
  Node: ['usr/local/bin'],
  git: ['usr/lib/git-core', 'usr/share/git-core', 'usr/bin/git'],
}

/** Prints what the size of an image is made of, in MB (1,000,000 bytes, unpacked). Fails above 430 MB. */
export function printSizes(image: string): void {
  const container = run('buildah', 'from', '--pull-never', image).trim()
  try {
    const root = run('buildah', 'mount', container).trim()
    const sizeMb = (...paths: string[]) =>
      run('du', '--summarize', '--total', '--bytes', ...paths.map((path) => join(root, path)))
        .split('\n')
        .map((line) => Number(line.split('\t')[0]) / 1e6)
        .at(-2) ?? 0
    const total = sizeMb('.')
    const rows = Object.entries(parts).map(([name, paths]) => [name, sizeMb(...paths)] as const)
    const rest = rows.reduce((left, [, mb]) => left - mb, total)
    for (const [name, mb] of [...rows, ['Debian', rest] as const, ['all', total] as const])
      console.log(`          ${mb.toFixed(1).padStart(6)} MB  ${name}`)
    ok(total <= maxMb, `${total} MB are more than ${maxMb}`)
  } finally {
    run('buildah', 'rm', container)
  }
}
