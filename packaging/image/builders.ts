import { spawnSync } from 'node:child_process'

type Build = { tag: string; platform: string; dockerfile: string; args: Record<string, string>; context: string }

/** Command lines of a program that builds images. */
export type Builder = { name: string; build(how: Build): string[]; save(tag: string, archive: string): string[] }

export const builders = ['docker', 'podman', 'buildah'] as const

const buildArguments = (args: Record<string, string>) =>
  Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`])

/** The name under which `docker load` shows it without a registry. Podman and buildah would name it localhost/. */
const fullName = (tag: string) => (tag.includes('/') ? tag : `docker.io/library/${tag}`)

/** The words that all three have in common. Only images in Docker's format have a health check. */
const words = (program: string, { tag, platform, dockerfile, args, context }: Build, more: string[] = []): string[] => [
  program,
  'build',
  ...more,
  '--platform',
  platform,
  '--tag',
  program === 'docker' ? tag : fullName(tag),
  ...buildArguments(args),
  '--file',
  dockerfile,
  context,
]

const builderSpecs: Record<(typeof builders)[number], Builder & { probe: string[] }> = {
  docker: {
    name: 'docker',
    probe: ['info'],
    build: (how) => words('docker', how),
    save: (tag, archive) => ['docker', 'save', '--output', archive, tag],
  },
  podman: {
    name: 'podman',
    probe: ['info'],
    build: (how) => words('podman', how, ['--format=docker', '--isolation=chroot']),
    save: (tag, archive) => ['podman', 'save', '--format=docker-archive', '--output', archive, fullName(tag)],
  },
  buildah: {
    name: 'buildah',
    probe: ['info'],
    build: (how) => words('buildah', how, ['--format=docker', '--isolation=chroot', '--layers']),
    save: (tag, archive) => ['buildah', 'push', fullName(tag), `docker-archive:${archive}:${fullName(tag)}`],
  },
}

/** The first that works on this machine, or the one that is named. Docker's program alone, without its daemon, does not work. */
export const findBuilder = (name?: string): Builder | undefined =>
  builders
    .filter((each) => name === undefined || name === each)
    .map((each) => builderSpecs[each])
    .find((each) => spawnSync(each.name, each.probe, { stdio: 'ignore' }).status === 0)
