import { resolve } from 'node:path'

/** A path without characters that a shell interprets. */
const plainPath = /^[\w@%+=:,./-]+$/

const quoted = (path: string): string => (plainPath.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)

/** Commands that make the operator of an install its vendor. `command` is the command line. The private keys stay outside the data directory. */
export function ownVendorAdvice(dataDir: string, command: string): string {
  const vendor = quoted(resolve(dataDir, 'vendor'))
  const carrel = dataDir === resolve('data') ? command : `DATA_DIR=${quoted(dataDir)} ${command}`
  return [
    'To issue the license yourself, run these commands and start the server again:',
    `  ${command} license keygen --out ~/carrel-vendor &&`,
    `  mkdir -p ${vendor} && cp ~/carrel-vendor/*.pub.pem ${vendor}/ &&`,
    `  export LICENSE_KEY="$(${carrel} license issue --kind offline --customer 'My team' --days 3650 --key ~/carrel-vendor/license.pem)"`,
    'Keep a copy of ~/carrel-vendor on another machine and delete it here: its private keys sign licenses for this install.',
    'If a reverse proxy on this machine serves your team, set PUBLIC_URL to its address instead of HOST.',
  ].join('\n')
}
