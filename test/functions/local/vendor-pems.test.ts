import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { vendorPems } from '../../../functions/local/vendor-pems.ts'
import { makeKeyPair } from '../../../shared/keys/key-pair.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const licenses = { trustedKeys: async () => ['a trusted key'] }

test('the vendor keys in DATA_DIR replace the development pairs and the trusted keys', async () => {
  const dataDir = tempDir()
  const development = vendorPems({ keyFiles: {}, dataDir, loopback: true, licenses })
  expect(await development.publicPems()).toContain('a trusted key')
  expect(development.signingPem).toBeDefined()

  const own = tempDir()
  const { publicPem } = makeKeyPair()
  mkdirSync(join(own, 'vendor'))
  for (const name of ['license', 'bundle']) writeFileSync(join(own, 'vendor', `${name}.pub.pem`), publicPem)
  for (const loopback of [true, false]) {
    const vendor = vendorPems({ keyFiles: {}, dataDir: own, loopback, licenses })
    expect(await vendor.publicPems()).toEqual([publicPem])
    expect(vendor.signingPem).toBeUndefined()
  }
  expect(existsSync(join(own, 'dev-license.pem'))).toBe(false)
})
