import { readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { largeExport } from '../../../functions/bundles/large-export.ts'
import { rows, testExports } from '../../fixtures/exports.ts'
import { failure } from '../../fixtures/failure.ts'

type Exports = ReturnType<typeof testExports>

async function largeExports(): Promise<Exports> {
  const exports = testExports()
  await exports.add('/acme/docs', rows(30))
  exports.limits.bytes = 1000
  return exports
}

const files = ({ folder }: Exports) => readdirSync(join(folder, 'exports')).map((name) => join(folder, 'exports', name))
const projects = (file: string) =>
  JSON.parse(readFileSync(file, 'utf8')).libraries.map(({ project }: { project: string }) => project)

test('two requests for a large export at the same time start one build', async () => {
  const exports = await largeExports()
  const runBundle = vi.fn(exports.runBundle)
  const addresses = await Promise.all([1, 2].map(() => largeExport({ ...exports, runBundle }, 'acme/docs')))
  expect(addresses[0]).toMatch(/exports\/[0-9a-f]{64}\.json$/)
  expect(addresses[1]).toBe(addresses[0])
  expect(runBundle).toHaveBeenCalledTimes(1)
})

test('a large export of one version has only that version', async () => {
  const exports = await largeExports()
  await exports.add('/acme/docs@v1', rows(20))
  await largeExport(exports, 'acme/docs/V1')
  expect(files(exports).map(projects)).toEqual([['/acme/docs@v1']])
})

test('a large export of a library that was replaced before its build began has the new content', async () => {
  const exports = await largeExports()
  let started = 0
  const runBundle: Exports['runBundle'] = async (request) => {
    if (started++ === 0) await exports.add('/acme/docs', rows(40))
    await exports.runBundle(request)
  }
  await largeExport({ ...exports, runBundle }, 'acme/docs')
  expect(started).toBe(2)
  expect(JSON.parse(readFileSync(files(exports)[0] ?? '', 'utf8')).libraries[0].totalSnippets).toBe(40)
})

test.each(['deleted', 'private'])('a library that becomes %s while its export is built has no address', async (what) => {
  const exports = await largeExports()
  const put: Exports['objects']['put'] = async (...object) => {
    await exports.objects.put(...object)
    const library = exports.libraries.get('/acme/docs')
    if (what === 'deleted') exports.libraries.delete('/acme/docs')
    else if (library) library.private = true
  }
  const { buildBundle } = await import('../../../functions/bundles/bundle-status.ts')
  const { zipLimits } = await import('../../../functions/bundles/plan-zip.ts')
  const ports = { ...exports, objects: { put }, limits: zipLimits, signingPem: undefined }
  const runBundle: Exports['runBundle'] = (request) => buildBundle(ports, request)
  expect(await failure(largeExport({ ...exports, runBundle }, 'acme/docs'))).toMatchObject({ code: 'library_not_found' })
})

test('a stored export that was truncated is built again', async () => {
  const exports = await largeExports()
  await largeExport(exports, 'acme/docs')
  const [file = ''] = files(exports)
  const whole = readFileSync(file, 'utf8')
  truncateSync(file, 1000)
  await largeExport(exports, 'acme/docs')
  expect(readFileSync(file, 'utf8')).toBe(whole)
})

test('content with another size than the catalog says is not stored, and the next request builds again', async () => {
  const exports = await largeExports()
  for (const version of exports.libraries.get('/acme/docs')?.versions ?? []) version.bundleBytes += 1
  const runBundle = vi.fn(exports.runBundle)
  for (const _ of [1, 2])
    expect(await failure(largeExport({ ...exports, runBundle }, 'acme/docs'))).toMatchObject({ code: 'search_failed' })
  expect(runBundle).toHaveBeenCalledTimes(2)
  expect(readdirSync(exports.folder)).not.toContain('exports')
})

test('a build that cannot be started is temporary, and the next request starts it again', async () => {
  const exports = await largeExports()
  const refused = () => Promise.reject(new Error('Too many requests'))
  expect(await failure(largeExport({ ...exports, runBundle: refused }, 'acme/docs'))).toMatchObject({
    code: 'temporarily_unavailable',
  })
  expect(await largeExport(exports, 'acme/docs')).toMatch(/^http/)
})

test('a library that every install would skip is too large, and is not built', async () => {
  const exports = await largeExports()
  for (const version of exports.libraries.get('/acme/docs')?.versions ?? []) version.snippets = 500_001
  const runBundle = vi.fn(exports.runBundle)
  expect(await failure(largeExport({ ...exports, runBundle }, 'acme/docs'))).toMatchObject({ code: 'library_too_large' })
  expect(runBundle).not.toHaveBeenCalled()
})

test('a store that cannot be read is temporary, and starts no build', async () => {
  const exports = await largeExports()
  const get = () => Promise.reject(new Error('S3 is away'))
  const runBundle = vi.fn(exports.runBundle)
  const ports = { ...exports, runBundle, objects: { ...exports.objects, get } }
  expect(await failure(largeExport(ports, 'acme/docs'))).toMatchObject({ code: 'temporarily_unavailable' })
  expect(runBundle).not.toHaveBeenCalled()
})
