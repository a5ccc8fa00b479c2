import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { addressAllowed } from '../../network/metadata-address.ts'
import { tokenSetting } from '../../schemas/git-host.ts'
import { hostKeysIn } from '../../schemas/git-host-list.ts'
import { readSsh } from '../../schemas/ssh-address.ts'
import { hostSays, hostWords } from './host-words.ts'
import type { RepoAddress } from './repo-address.ts'

/** `env` has the variables by which git runs ssh. `folder` holds the key, and `close` deletes it. */
export type SshSession = { env: Record<string, string>; folder: string; close(): Promise<void> }

export type SshKeys = {
  /** The private key. */
  token?: string
  /** The folder of the files of running connections; that of the machine if absent. */
  sshFolder?: string
}

/** The only name in the file of host keys, so that they are those of the host under each of its addresses. */
const alias = 'host'
const connectSeconds = 15

/**
 * Writes the key and the pinned host keys of a host into a folder of their own for one run of git. ssh reads no configuration, agent or key of this
 * machine. Throws validation_error for a host at an address that serves the credentials of clouds.
 */
export async function openSsh({ cloneUrl, host }: RepoAddress, { token = '', sshFolder }: SshKeys): Promise<SshSession> {
  const ssh = readSsh(cloneUrl)
  const keys = hostKeysIn(host.knownHosts ?? '')
  if (!ssh || !keys)
    throw new AppError('not_configured', `The host ${host.name} in git.hosts has no knownHosts, which ssh requires.`)
  const { address } = await addressAllowed(ssh.host)
  if (sshFolder !== undefined) await mkdir(sshFolder, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(sshFolder ?? tmpdir(), 'ssh-'))
  const close = () => rm(folder, { recursive: true, force: true })
  try {
    const [key, knownHosts] = [join(folder, 'key'), join(folder, 'known_hosts')]
    await writeFile(key, `${token.trim()}\n`, { mode: 0o600 })
    await writeFile(knownHosts, keys.map((each) => `${alias} ${each}\n`).join(''), { mode: 0o600 })
    const options = {
      HostName: address,
      HostKeyAlias: alias,
      IdentityFile: quoted(key),
      IdentitiesOnly: 'yes',
      IdentityAgent: 'none',
      UserKnownHostsFile: quoted(knownHosts),
      GlobalKnownHostsFile: 'none',
      StrictHostKeyChecking: 'yes',
      UpdateHostKeys: 'no',
      CheckHostIP: 'no',
      BatchMode: 'yes',
      PreferredAuthentications: 'publickey',
      PasswordAuthentication: 'no',
      KbdInteractiveAuthentication: 'no',
      ClearAllForwardings: 'yes',
      ForwardAgent: 'no',
      PermitLocalCommand: 'no',
      ControlPath: 'none',
      RequestTTY: 'no',
      LogLevel: 'ERROR',
      ConnectTimeout: String(connectSeconds),
      ServerAliveInterval: String(connectSeconds),
      ServerAliveCountMax: '2',
    }
    const words = Object.entries(options).map(([name, value]) => `-o ${shellWord(`${name}=${value}`)}`)
    return { env: { GIT_SSH_COMMAND: `ssh -F none ${words.join(' ')}`, GIT_SSH_VARIANT: 'ssh' }, folder, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A path in an option of ssh, in which % stands for other values. */
const quoted = (path: string): string => `"${path.replaceAll('%', '%%')}"`

const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The error for a git that failed because of ssh. Undefined for another cause. */
export function sshFailure({ webUrl, cloneUrl, host }: RepoAddress, output: string, secrets: string[]): AppError | undefined {
  const place = readSsh(cloneUrl)
  const name = place && `${place.host}:${place.port}`
  const setting = tokenSetting(host.name)
  const cause = new Error(hostWords(output, secrets))
  const matches = (pattern: RegExp): boolean => pattern.test(output)
  if (matches(/cannot run ssh|ssh: (?:command )?not found|exec: ssh/))
    return new AppError(
      'not_configured',
      'The ssh client is not installed on this server. Install it (for example: apt install openssh-client).',
      {
        cause,
      },
    )
  if (matches(/No user exists for uid/))
    return new AppError(
      'not_configured',
      'ssh cannot run: the user of this server is not in /etc/passwd. Add it there, or start the server as a user who is.',
      {
        cause,
      },
    )
  if (matches(/Host key verification failed|HOST IDENTIFICATION|host key is known for/))
    return new AppError(
      'access_denied',
      `${name} has another host key than knownHosts of ${host.name} in git.hosts names, so nothing was sent. Compare it with the fingerprint that the operator of the host publishes, then change knownHosts.`,
      { cause },
    )
  if (matches(/invalid format|error in libcrypto|bad permissions|Load key /))
    return new AppError(
      'not_configured',
      `The private key in ${setting} cannot be read by ssh. Save it again, as ssh-keygen wrote it.`,
      {
        cause,
      },
    )
  if (matches(/Permission denied \(|Too many authentication failures|no mutual signature/))
    return new AppError(
      'access_denied',
      `${name} refused the key in ${setting}. Add its public key to the host as a deploy key.`,
      {
        cause,
      },
    )
  if (
    matches(
      /Could not resolve hostname|Connection (?:refused|timed out|reset|closed)|No route to host|Network is unreachable|timed out|kex_exchange/,
    )
  )
    return new AppError(
      'provider_unavailable',
      `${name} cannot be reached by ssh.${hostSays(hostWords(sshLine(output), secrets))}`,
      {
        cause,
        retry: 'limited',
      },
    )
  if (matches(/does not appear to be a git repository|not found|does not exist|DENIED|access denied|could not read from remote/i))
    return new AppError('not_found', `${webUrl} does not exist, or the key in ${setting} may not read it.`, { cause })
  return undefined
}

const sshLine = (output: string): string => output.split('\n').find((line) => /^(?:ssh|Connection|kex)/.test(line)) ?? ''
