import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import type { Dispatcher } from 'undici'
import { AppError } from '../../../shared/errors.ts'
import { type Connections, openConnections } from '../../../shared/network/connections.ts'
import type { Network } from '../../../shared/network/network.ts'
import { chunksWithin, headWithin, type TransferLimits, transferLimits } from '../../../shared/network/transfer-limits.ts'
import type { BundleStatus } from '../../bundles/bundle-status.ts'

export type BuiltBundle = Pick<Extract<BundleStatus, { state: 'built' }>, 'url' | 'bytes'>

/**
 * Atomic: a failed download leaves no file. Redirects are not followed: the link leads to the file itself, and whoever has it may download,
 * so no message shows it. Throws timeout, provider_unavailable or command_failed in a sentence that names the host, or validation_error if
 * `out` cannot be written.
 */
export async function downloadBundle(
  network: Network,
  bundle: BuiltBundle,
  out: string,
  limits: TransferLimits = transferLimits,
): Promise<void> {
  const connections = await openConnections(network, limits.headMs)
  const part = `${out}.part`
  try {
    const output = await open(part, 'w')
    await receive(connections, bundle, limits, output).finally(() => output.close())
    await rename(part, out)
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined)
    if (error instanceof AppError) throw error
    throw new AppError('validation_error', `${out} cannot be written: ${(error as Error).message}.`, { cause: error })
  } finally {
    connections.close()
  }
}

async function receive(
  { request, dispatcherFor }: Connections,
  { url, bytes }: BuiltBundle,
  limits: TransferLimits,
  output: FileHandle,
): Promise<void> {
  const { host } = new URL(url)
  const unlimited = new AbortController().signal
  const response = await headWithin(host, limits, unlimited, (signal) => request(url, { signal, dispatcher: dispatcherFor(url) }))
  if (response.statusCode !== 200) {
    response.body.on('error', () => undefined).destroy()
    throw new AppError('command_failed', `The bundle cannot be downloaded: ${whyNot(host, response)}`)
  }
  const transfer = { host, name: 'the bundle', totalBytes: bytes, advice: 'Run the command again.' }
  await output.writeFile(chunksWithin(response.body, limits, transfer))
}

function whyNot(host: string, { statusCode, headers }: Dispatcher.ResponseData): string {
  const target = typeof headers.location === 'string' ? URL.parse(headers.location, `https://${host}`) : null
  if (target && statusCode >= 300 && statusCode < 400) return `${host} redirects to ${target.host}.`
  return `${host} returned the status ${statusCode}.`
}
