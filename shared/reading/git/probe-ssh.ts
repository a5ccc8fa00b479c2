import { AppError } from '../../errors.ts'
import { gitEnvironment, tokenSecrets } from './git-access.ts'
import { gitFailure } from './git-failure.ts'
import type { ProbeOptions, Remote } from './remote.ts'
import { readAdvertisedRefs } from './remote-refs.ts'
import type { RepoAddress } from './repo-address.ts'
import { runGit } from './run-git.ts'
import { openSsh } from './ssh-session.ts'

const maxBytes = 16 * 2 ** 20

/** The branches and tags of a repository that is read by ssh. Throws what `gitFailure` returns, and timeout. */
export async function probeSsh(address: RepoAddress, options: ProbeOptions): Promise<Remote> {
  const tooSlow = AbortSignal.timeout(options.timeMs)
  const signal = AbortSignal.any([options.signal, tooSlow])
  const secrets = tokenSecrets(address, options.token)
  const ssh = await openSsh(address, options)
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    const { ok, messages } = await runGit(['ls-remote', '--symref', '--', address.cloneUrl], {
      cwd: ssh.folder,
      env: {
        ...gitEnvironment(
          { address, isPublic: false },
          { env: options.env },
          { home: ssh.folder, caBundle: undefined, idleMs: options.timeMs },
        ),
        ...ssh.env,
      },
      signal,
      onOutput(chunk) {
        bytes += chunk.length
        if (bytes > maxBytes) throw tooManyRefs()
        chunks.push(chunk)
      },
    })
    if (!ok) throw gitFailure({ address, isPublic: false }, messages, secrets)
    return { ...(await readAdvertisedRefs(advertised(Buffer.concat(chunks).toString()))), address, moved: false, isPublic: false }
  } catch (error) {
    if (!tooSlow.aborted || options.signal.aborted) throw error
    const message = `The host of ${address.webUrl} did not respond within ${options.timeMs / 1000} s.`
    throw new AppError('timeout', message, { retry: 'limited', cause: error })
  } finally {
    await ssh.close()
  }
}

const tooManyRefs = (): AppError =>
  new AppError('library_too_large', 'The repository lists more branches and tags than can be read (16 MB).')

/** The lines of `git ls-remote --symref` as a server advertises refs. */
function advertised(output: string): string[] {
  const lines = output.split('\n').filter((line) => line !== '')
  const [, head] = /^ref: (\S+)\tHEAD$/m.exec(output) ?? []
  const refs = lines.filter((line) => !line.startsWith('ref: ')).map((line) => line.replace('\t', ' '))
  return refs.map((line, at) => (at === 0 && head !== undefined ? `${line}\0symref=HEAD:${head}` : line))
}
