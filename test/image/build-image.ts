import { type Ended, runToEnd } from './run.ts'

const root = new URL('../..', import.meta.url).pathname

export type Build = {
  /** Path in the repository. */
  dockerfile: string
  base: string
  /** NAME=VALUE */
  'build-arg'?: string
  /** The last stage to build. */
  target?: string
  /** A folder that the build sees, as `FOLDER:PATH:ro`. */
  volume?: string
  tag?: string
}

/** Builds an image with buildah. Its steps stay in the storage for the next build. */
export function buildImage({ dockerfile, base, ...more }: Build): Promise<Ended> {
  const words = Object.entries(more).map(([name, value]) => `--${name}=${value}`)
  // An OCI image has no health check.
  const options = ['--isolation=chroot', '--pull-never', '--layers', '--format=docker', `--build-arg=BASE=${base}`, ...words]
  return runToEnd(1_800, 'buildah', 'bud', ...options, `--file=${root}${dockerfile}`, root)
}
