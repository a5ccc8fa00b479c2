import { type Ended, runToEnd } from './run.ts'

const root = new URL('../..', import.meta.url).pathname

export type Build = {
  /** Path in the repository. */
  dockerfile: string
  base: string
  args?: Record<string, string>
  /** The last stage to build. */
  target?: string
  tag?: string
}

/** Builds an image with buildah. Its steps stay in the storage for the next build. */
export function buildImage({ dockerfile, base, args = {}, target, tag }: Build): Promise<Ended> {
  const words = Object.entries({ BASE: base, ...args }).map(([name, value]) => `--build-arg=${name}=${value}`)
  const more = [...(target ? [`--target=${target}`] : []), ...(tag ? [`--tag=${tag}`] : [])]
  // An OCI image has no health check.
  const options = ['--isolation=chroot', '--pull-never', '--layers', '--format=docker', ...words, ...more]
  return runToEnd(1_800, 'buildah', 'bud', ...options, `--file=${root}${dockerfile}`, root)
}
