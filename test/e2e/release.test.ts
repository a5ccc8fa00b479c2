import { execFile, execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { packageFolder } from '../fixtures/package-folder.ts'
import { tempDir } from '../fixtures/temp-dir.ts'

const root = new URL('../..', import.meta.url).pathname
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const tag = `v${version}`

/** Runs a step of the release workflow; its output. */
async function step(script: string, words: string[], env: Record<string, string> = {}): Promise<string> {
  const options = { cwd: root, env: { ...process.env, ...env } }
  return (await promisify(execFile)(process.execPath, [`packaging/release/${script}.ts`, ...words], options)).stdout
}

test('a release of another version than that of package.json is rejected', async () => {
  await expect(step('check-tag', ['v0.0.1'])).rejects.toThrow(`carrel: The tag v0.0.1 is not that of package.json, ${tag}.`)
  expect(await step('check-tag', [tag])).toBe('')
})

test('a dry run packs the package with its parts and checksums, and prints what would be signed and published', async () => {
  const [dist, out] = [join(tempDir(), 'dist'), join(tempDir(), 'release')]
  cpSync(packageFolder, dist, { recursive: true })
  await step('pack', [dist, out], { NPM_PACKAGE: '@example/docs' })
  const packed = `example-docs-${version}.tgz`
  expect(readdirSync(out).sort()).toEqual([`carrel-${version}-npm.cdx.json`, packed])
  const { components } = JSON.parse(readFileSync(join(out, `carrel-${version}-npm.cdx.json`), 'utf8'))
  expect(components.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['hono', 'node']))
  expect(String(execFileSync('tar', ['-xzOf', join(out, packed), 'package/package.json']))).toContain('"name": "@example/docs"')

  for (const processor of ['amd64', 'arm64']) writeFileSync(join(out, `carrel-${version}-${processor}.tar.gz`), processor)
  await step('write-checksums', [out])
  const checked = String(execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out }))
  expect(checked.trim().split('\n')).toHaveLength(4)

  const names = { NPM_PACKAGE: '@example/docs', IMAGE: 'registry.example.com/docs', DRY_RUN: '1' }
  const commands = (await step('publish', [tag, out], names)).replaceAll(`${out}/`, '').trim().split('\n')
  const image = `registry.example.com/docs:${version}`
  expect(commands).toEqual([
    'cosign sign-blob --yes --bundle SHA256SUMS.sigstore.json SHA256SUMS',
    ...['amd64', 'arm64'].flatMap((processor) => [
      `docker load --input carrel-${version}-${processor}.tar.gz`,
      `docker tag carrel:${version} ${image}-${processor}`,
      `docker push ${image}-${processor}`,
    ]),
    `docker buildx imagetools create --tag ${image} ${image}-amd64 ${image}-arm64`,
    `cosign sign --yes --recursive ${image}`,
    `npm publish ${packed} --provenance --access public`,
    expect.stringMatching(new RegExp(`^gh release create ${tag} .*${packed} .*SHA256SUMS\\.sigstore\\.json$`)),
  ])
})

test('a release without names is signed and published only as files', async () => {
  const out = tempDir()
  await expect(step('publish', [tag, out], { DRY_RUN: '1' })).rejects.toThrow('SHA256SUMS does not exist')
  writeFileSync(join(out, 'SHA256SUMS'), '')
  const commands = (await step('publish', [tag, out], { DRY_RUN: '1', NPM_PACKAGE: '', IMAGE: '' })).trim().split('\n')
  expect(commands.map((command) => command.split(' ', 2).join(' '))).toEqual(['cosign sign-blob', 'gh release'])
  await expect(step('publish', [tag, out], { DRY_RUN: '1', IMAGE: 'registry.example.com/docs' })).rejects.toThrow(
    'has no archive of an image',
  )
})
