import { readFileSync, writeFileSync } from 'node:fs'

type Manifest = { dependencies: Record<string, string>; devDependencies: Record<string, string> }

/** What a worker needs of the packages that the on-premise server does without. */
const needed = /^(@aws-sdk\/|@smithy\/|sst$)/

/** The manifest of the worker's image. A package that also stands among the development dependencies would be left out. */
export function imageManifest<Given extends Manifest>({ dependencies, devDependencies, ...rest }: Given) {
  const more = Object.entries(devDependencies).filter(([name]) => needed.test(name))
  return { ...rest, dependencies: { ...dependencies, ...Object.fromEntries(more) } }
}

// The image's own copy of package.json.
if (import.meta.main)
  writeFileSync('package.json', JSON.stringify(imageManifest(JSON.parse(readFileSync('package.json', 'utf8')))))
