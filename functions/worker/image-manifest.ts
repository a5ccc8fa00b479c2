import { readFileSync, writeFileSync } from 'node:fs'

type Manifest = { dependencies: Record<string, string>; devDependencies: Record<string, string> }

/** Development dependencies that a worker or the API needs; the on-premise server does not. */
const needed = /^(@aws-lambda-powertools\/tracer$|@aws-sdk\/|@smithy\/|badge-maker$|sst$)/

/** The manifest of the worker's image. `npm prune` would remove a package that is also a development dependency. */
export function imageManifest<Given extends Manifest>({ dependencies, devDependencies, ...rest }: Given) {
  const more = Object.entries(devDependencies).filter(([name]) => needed.test(name))
  return { ...rest, dependencies: { ...dependencies, ...Object.fromEntries(more) } }
}

// The image's own copy of package.json.
if (import.meta.main)
  writeFileSync('package.json', JSON.stringify(imageManifest(JSON.parse(readFileSync('package.json', 'utf8')))))
