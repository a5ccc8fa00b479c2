import { once } from 'node:events'
import { connect } from 'node:net'
import { codeOf, connectionError, openConnections, proxiesOf } from '../../../shared/network/connections.ts'
import { lookupAllowed } from '../../../shared/network/metadata-address.ts'
import { type Network, trustedCertificates } from '../../../shared/network/network.ts'
import { isPlain, plainWarning } from '../../../shared/schemas/public-url.ts'
import { isSsh, readSsh } from '../../../shared/schemas/ssh-address.ts'
import { readNetwork } from '../../../shared/settings/read-network.ts'
import { secretBox } from '../../../shared/settings/secret-box.ts'
import { Settings } from '../../../shared/settings/settings.ts'
import { withDatabaseForReading } from '../../../shared/store/database.ts'
import { sqliteSettings } from '../../../shared/store/settings-store.ts'
import { unlessAborted } from '../../../shared/time/unless-aborted.ts'
import type { Config } from '../../config.ts'
import { type DoctorPorts, type Finding, ok, problem, warning } from './finding.ts'

const maxMs = 10_000

export function checkPublicUrl({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): Finding[] {
  if (PUBLIC_URL === undefined) return []
  return [isPlain(PUBLIC_URL) ? warning(plainWarning) : ok(`PUBLIC_URL is ${PUBLIC_URL.url}.`)]
}

/** Shows proxies without their user and password. Reads the file of NODE_EXTRA_CA_CERTS. */
export function checkProxies({ env }: Pick<DoctorPorts, 'env'>): Finding[] {
  const { httpProxy, httpsProxy, noProxy } = proxiesOf({ env })
  trustedCertificates(readNetwork(env))
  const used = [...new Set([httpsProxy, httpProxy])].filter((each) => each !== '')
  if (used.length === 0) return [ok('No proxy is set.')]
  const except = noProxy === '' ? '' : `, except for ${noProxy}`
  return used.map((each) => {
    const { protocol, host } = new URL(each)
    if (/^https?:$/.test(protocol)) return ok(`Connections use the proxy ${protocol}//${host}${except}.`)
    return warning(`Models cannot use the proxy ${protocol}//${host}.`, 'Set HTTPS_PROXY to an HTTP proxy.')
  })
}

/** Connects to the git hosts of the settings. */
export async function checkGitHosts({ install, env, hasDatabase }: DoctorPorts): Promise<Finding[]> {
  const names = ['github.baseUrl', 'gitlab.baseUrl'] as const
  const hosts = hasDatabase
    ? await withDatabaseForReading(install.dataDirPath, (db) => {
        const settings = sqliteSettings(db, secretBox(install.dataDirPath))
        return [...names.map((name) => ({ baseUrl: settings.get(name), ca: undefined })), ...settings.get('git.hosts')]
      })
    : names.map((name) => ({ baseUrl: Settings.shape[name].parse(undefined), ca: undefined }))
  return Promise.all(hosts.map(({ baseUrl, ca }) => reach(baseUrl, { ...readNetwork(env), ca })))
}

async function reach(url: string, network: Network): Promise<Finding> {
  if (isSsh(url)) return reachPort(url)
  const { host } = new URL(url)
  const late = AbortSignal.timeout(maxMs)
  const { request, dispatcherFor, close } = await openConnections(network, maxMs)
  try {
    const { body } = await unlessAborted(request(url, { method: 'HEAD', dispatcher: dispatcherFor(url), signal: late }), late)
    await body.dump()
    return ok(`${host} is reachable.`)
  } catch (error) {
    const message = late.aborted ? `${host} did not respond within ${maxMs / 1000} s.` : connectionError(host, error).message
    return problem(
      message,
      'Repositories there cannot be added or refreshed. Check the network, the proxy and the setting of its address.',
    )
  } finally {
    close()
  }
}

/** ssh uses no proxy. */
async function reachPort(url: string): Promise<Finding> {
  const { host = '', port = '22' } = readSsh(url) ?? {}
  const socket = connect({ host, port: Number(port), lookup: lookupAllowed })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(maxMs) })
    return ok(`${host}:${port} is reachable.`)
  } catch (error) {
    return problem(
      `${host}:${port} cannot be reached (${codeOf(error)}).`,
      'Repositories there cannot be added or refreshed. Check the network and the address in git.hosts.',
    )
  } finally {
    socket.destroy()
  }
}
