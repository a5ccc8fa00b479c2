import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './run.ts'

const npmVersion = '11.21.2'
const certificates = 'etc/ssl/certs/ca-certificates.crt'

/**
 * An image like node:24-bookworm-slim, for machines that reach Debian's packages and the npm registry, but no registry of images: Debian's minimal
 * system with the Node of this checkout, npm, and the certificates that this machine trusts. It stays in the storage of podman for the next run.
 */
export function baseImage(): string {
  const name = `localhost/carrel-test-base:node-${process.versions.node}`
  if (run('podman', 'images', '--quiet', name) !== '') return name
  const folder = mkdtempSync(join(tmpdir(), 'carrel-base-'))
  try {
    console.log(`Making ${name} with debootstrap, which takes a minute or two`)
    run('debootstrap', '--variant=minbase', '--include=ca-certificates', 'bookworm', folder)
    const unneeded = globSync('{usr/share/{locale,man,info}/*,var/cache/apt/*,var/lib/apt/lists/*}', { cwd: folder })
    for (const path of unneeded) rmSync(join(folder, path), { recursive: true })
    if (existsSync(join('/', certificates))) copyFileSync(join('/', certificates), join(folder, certificates))
    copyFileSync(process.execPath, join(folder, 'usr/local/bin/node'))
    run('npm', 'install', '--silent', '--global', '--prefix', join(folder, 'usr/local'), `npm@${npmVersion}`)
    const config = [
      'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      `ENV NODE_EXTRA_CA_CERTS=/${certificates}`,
      'CMD ["node"]',
    ]
    // The worker runs as the user that the official image has.
    run('chroot', folder, 'useradd', '--uid', '1000', '--create-home', 'node')
    const changes = config.map((line) => `--change '${line}'`).join(' ')
    execFileSync('sh', ['-c', `tar -C ${folder} -cf - . | podman import ${changes} - ${name}`], { stdio: 'pipe' })
    return name
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
