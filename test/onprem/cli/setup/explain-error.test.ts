import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server as NetServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { needsKey } from '../../../../onprem/cli/setup/needs-key.ts'
import { freePort } from '../../../fixtures/free-port.ts'
import { runCarrelProcess } from '../../../fixtures/run-carrel.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

const file = (name: string) => new URL(`../../../fixtures/tls/${name}`, import.meta.url).pathname

async function listening(server: NetServer): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}
const answering = (): Server => createHttpServer((_, response) => response.end('{"enabled": false}'))
const secure = (certificate = 'models.pem') =>
  createHttpsServer({ key: readFileSync(file('models.key')), cert: readFileSync(file(certificate)) }, (_, response) =>
    response.end('{"enabled": false}'),
  )

/** Runs setup in a process, whose Node reads these variables at its start. */
async function setup(root: string, env: Record<string, string> = {}) {
  const home = tempDir()
  const { code, err } = await runCarrelProcess(['setup', '--claude', '--base-url', root], {
    dataDir: join(home, 'x'),
    env: { HOME: home, ...env },
  })
  expect(code).toBe(1)
  return err
}

describe('a certificate', () => {
  test('is reported with its names if it has another name', async () => {
    const port = await listening(secure())
    expect(await setup(`https://localhost:${port}`, { NODE_EXTRA_CA_CERTS: file('models-ca.pem') })).toBe(
      `carrel: https://localhost:${port} has a certificate for models.example, *.models.example, but not for localhost; use a name that is in the certificate. Nothing was changed.\n`,
    )
  })

  test('is reported as expired', async () => {
    const port = await listening(secure('expired.pem'))
    expect(await setup(`https://localhost:${port}`, { NODE_EXTRA_CA_CERTS: file('expired.pem') })).toContain(
      'has a certificate that has expired (CERT_HAS_EXPIRED); it must be renewed, unless the clock of this machine is wrong.',
    )
  })

  test('is reported with the variable if it is of a private authority, and with another file if one is set', async () => {
    const root = `https://localhost:${await listening(secure())}`
    expect(await setup(root)).toContain(
      '(UNABLE_TO_VERIFY_LEAF_SIGNATURE); set NODE_EXTRA_CA_CERTS to the file of its authority.',
    )
    expect(await setup(root, { NODE_EXTRA_CA_CERTS: file('expired.pem') })).toContain(
      'the file of NODE_EXTRA_CA_CERTS does not have its authority, or an intermediate certificate is missing on the server.',
    )
  })
})

describe('the scheme of the address', () => {
  test('is reported as wrong if it is https at a port without TLS', async () => {
    const port = await listening(answering())
    await expect(needsKey(`https://127.0.0.1:${port}`)).rejects.toThrow(
      `https://127.0.0.1:${port} does not speak TLS at this port; use http:// or the port for https. Nothing was changed.`,
    )
  })

  test('is reported as wrong if it is http at a port with TLS, whether its server closes the connection or returns 400', async () => {
    const polite = createProxy((first, client) => {
      if (first[0] === 22) return connect(closing, '127.0.0.1')
      client.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')
      return undefined
    })
    const closing = await listening(secure())
    for (const port of [closing, await listening(polite)])
      await expect(needsKey(`http://127.0.0.1:${port}`)).rejects.toThrow(
        `http://127.0.0.1:${port} speaks TLS at this port; use https://. Nothing was changed.`,
      )
  })

  test('is not blamed for a 400 of a server without TLS', async () => {
    const port = await listening(createHttpServer((_, response) => response.writeHead(400).end()))
    await expect(needsKey(`http://127.0.0.1:${port}`)).rejects.toThrow('returned status 400. Check that --base-url is the root')
  })
})

/** A server of sockets that leads each connection to where `choose` says, by its first bytes. */
function createProxy(choose: (first: Buffer, client: Socket) => Socket | undefined): NetServer {
  return createServer((client) => {
    client
      .on('error', () => undefined)
      .once('data', (first) => {
        const onward = choose(first, client)
        if (!onward) return
        onward.on('error', () => client.destroy()).write(first)
        client.pipe(onward).pipe(client)
      })
  })
}

describe('the proxy in the environment', () => {
  const used = { NODE_USE_ENV_PROXY: '1' }
  const refusing = async () => {
    const server = createHttpServer((_, response) => response.writeHead(403).end())
    server.on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
    return `http://ada:s3cret@127.0.0.1:${await listening(server)}`
  }

  test('is named if Node ignores it and the deployment cannot be reached', async () => {
    // The name does not look like this machine.
    const root = `https://0.0.0.0:${await freePort()}`
    const env = { HTTPS_PROXY: await refusing() }
    const err = await setup(root, env)
    expect(err).toBe(
      `carrel: ${root} cannot be reached (ECONNREFUSED); HTTPS_PROXY is set, but Node uses it only with NODE_USE_ENV_PROXY=1. Nothing was changed.\n`,
    )
    expect(await setup(root, { ...env, NO_PROXY: 'x.example,0.0.0.0' })).not.toContain('PROXY')
    expect(err).not.toContain('s3cret')
  })

  test.each(['https', 'http'])('is named with a way around it if it rejects a deployment with %s', async (scheme) => {
    const variable = scheme === 'https' ? 'https_proxy' : 'HTTP_PROXY'
    const port = await listening(answering())
    const err = await setup(`${scheme}://127.0.0.1:${port}`, { ...used, [variable]: await refusing() })
    expect(err).toContain(`through the proxy of ${variable}`)
    expect(err).toContain('if it can be reached without a proxy, add 127.0.0.1 to NO_PROXY. Nothing was changed.')
    expect(err).not.toContain('s3cret')
  })

  test('is named if it cannot be reached', async () => {
    const port = await listening(answering())
    const err = await setup(`http://127.0.0.1:${port}`, { ...used, HTTP_PROXY: `http://127.0.0.1:${await freePort()}` })
    expect(err).toContain(`cannot be reached through the proxy of HTTP_PROXY (ECONNREFUSED); if it can be reached`)
  })
})
