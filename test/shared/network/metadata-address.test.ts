import { expect, test } from 'vitest'
import { isMetadataHost, lookupAllowed } from '../../../shared/network/metadata-address.ts'

const resolve = (host: string, options = {}) =>
  new Promise((resolve, reject) => lookupAllowed(host, options, (error, address) => (error ? reject(error) : resolve(address))))

test.each(['169.254.169.254', '::ffff:169.254.169.254', 'fe80::1', 'fd00:ec2::254', 'fd00:ec2::23', '100.100.100.200'])(
  'a connection to a name that resolves to %s is rejected',
  async (address) => {
    await expect(resolve(address)).rejects.toThrow(`${address} resolves to a link-local or metadata address`)
    await expect(resolve(address, { all: true })).rejects.toThrow('Use another host.')
  },
)

test('a connection to another name is allowed', async () => {
  expect(await resolve('127.0.0.1')).toBe('127.0.0.1')
  expect(await resolve('127.0.0.1', { all: true })).toEqual([{ address: '127.0.0.1', family: 4 }])
  await expect(resolve('no-such-host.invalid')).rejects.toThrow('no-such-host.invalid')
})

test.each(['metadata-models.internal', 'models.metadata', 'fd00:ec2::255', '100.100.100.201'])(
  'the host %s is no metadata service',
  (host) => {
    expect(isMetadataHost(host)).toBe(false)
  },
)
