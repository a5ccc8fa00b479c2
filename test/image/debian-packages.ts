import { existsSync } from 'node:fs'
import { run } from './run.ts'

/** Programs that the test runs, and the Debian package of each. */
const programs = {
  '/usr/bin/buildah': 'buildah',
  '/usr/bin/podman': 'podman',
  '/usr/sbin/runc': 'runc',
  '/usr/sbin/debootstrap': 'debootstrap',
  '/usr/bin/strace': 'strace',
  '/usr/bin/git': 'git',
  '/usr/sbin/ip': 'iproute2',
}

/** Installs those that are missing. */
export function installPrograms(): void {
  const missing = Object.entries(programs).flatMap(([path, name]) => (existsSync(path) ? [] : [name]))
  if (missing.length === 0) return
  console.log(`Installing ${missing.join(', ')} with apt-get`)
  run('apt-get', 'update', '-qq')
  run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...missing)
}
