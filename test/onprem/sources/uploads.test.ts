import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import JSZip from 'jszip'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { docxParts, makePdf, zipParts } from '../../fixtures/documents.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(() => install.close())

type Sent = Record<string, string | Buffer>
type Body = { queueId: number; project: string; message: string }

async function send(path: string, field: string, files: Sent, fields: Record<string, string> = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const [name, content] of Object.entries(files)) form.append(field, new Blob([content as string]), name)
  const headers = { authorization: `Bearer ${install.keys.admin}` }
  const response = await fetch(`${install.url}${path}`, { method: 'POST', headers, body: form })
  return { status: response.status, body: (await response.json()) as Body }
}
const sendFiles = (files: Sent, fields?: Record<string, string>) => send('/api/parse-files', 'files', files, fields)
async function added(sent: Promise<{ status: number; body: Body }>) {
  const { status, body } = await sent
  expect([status, body]).toEqual([202, expect.anything()])
  return install.ended(body.queueId)
}
async function ask(id: string, query = 'how do I start') {
  const path = `/api/v2/context?libraryId=${encodeURIComponent(id)}&query=${encodeURIComponent(query)}&type=json`
  return (await install.json(path, { key: install.keys.admin })).body as { infoSnippets: { content: string; pageId: string }[] }
}
const stored = () => readdirSync(join(install.app.dataDir, 'imports')).length
const zipOf = (files: Record<string, string>) => {
  const zip = new JSZip()
  for (const [name, text] of Object.entries(files)) zip.file(name, text)
  return zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' })
}
const page = (text: string) => `# Start\n\n${text}\n`

test('uploaded files are a library, and the same name again replaces all of them', async () => {
  const job = await added(
    sendFiles({ 'handbook/guide/start.md': page('Turn the first key.'), 'handbook/a b.html': '<h1>Other</h1><p>An old page.' }),
  )
  expect([job.error, job.project, job.report?.filesRead]).toEqual([null, '/files/handbook', 2])
  expect((await ask('/files/handbook')).infoSnippets.map(({ pageId }) => pageId)).toContain(
    'upload://files/handbook/handbook/guide/start.md',
  )
  const again = await added(sendFiles({ 'start.md': page('Turn the second key.') }, { name: 'Handbook', force: 'true' }))
  expect([again.error, again.project]).toEqual([null, '/files/handbook'])
  const { infoSnippets } = await ask('/files/handbook')
  expect(infoSnippets.map(({ content }) => content)).toEqual([expect.stringContaining('second key')])
  expect((await install.refresh('files/handbook')).state).toBe('done')
})

test('a zip is unpacked', async () => {
  const zip = await zipOf({ 'docs/a.md': page('From a zip.'), 'docs/b.rst': 'B\n=\n\nText of b.\n' })
  const job = await added(sendFiles({ 'Manual 2.zip': zip }))
  expect([job.error, job.project, job.report?.filesRead]).toEqual([null, '/files/manual-2', 2])
})

test('PDF and Word files are read in their processes, a PDF with a link to the page', async () => {
  const pdf = await makePdf((doc) => {
    doc.fontSize(20).text('Pump').fontSize(11).text('The pump moves water from the lower tank.')
    doc.addPage().fontSize(20).text('Valve').fontSize(11).text('The valve stops the water of the upper tank.')
  })
  const docx = await zipParts(docxParts([['Filter', 'Heading1'], ['The filter cleans the water.']]))
  const scan = await makePdf((doc) => doc.rect(50, 50, 100, 100).fill('red'))
  const job = await added(sendFiles({ 'a.pdf': pdf, 'b.docx': docx, 'scan.pdf': scan }, { name: 'machine' }))
  expect([job.error, job.report?.filesRead]).toEqual([null, 2])
  const skipped = (await install.json(`/api/jobs/${job.id}`, { key: install.keys.admin })).body
  expect(JSON.stringify(skipped)).toContain('its pages are images')
  expect((await ask('/files/machine', 'valve upper tank')).infoSnippets[0]?.pageId).toBe('upload://files/machine/a.pdf#page=2')
  expect((await ask('/files/machine', 'filter cleans')).infoSnippets[0]?.pageId).toBe('upload://files/machine/b.docx')
})

test('a zip that leads out, holds links or bombs is refused, and nothing is stored', async () => {
  const before = stored()
  const slip = Buffer.from((await zipOf({ 'aa/aa/x.md': 'x' })).toString('latin1').replaceAll('aa/aa/x', '../../x'), 'latin1')
  const links = new JSZip()
  links.file('a.md', '/etc/passwd', { unixPermissions: 0o120777 })
  const link = await links.generateAsync({ type: 'nodebuffer', platform: 'UNIX' })
  const bomb = await zipOf(Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`${i}.md`, ''])))
  for (const [zip, status] of [
    [slip, 400],
    [link, 400],
    [bomb, 413],
    [Buffer.from('no zip'), 400],
  ] as const)
    expect((await sendFiles({ 'x.zip': zip })).status).toBe(status)
  expect(stored()).toBe(before)
})

test.each([
  [{ '../../etc/cron.d/x.md': 'x' }],
  [{ '/etc/x.md': 'x' }],
  [{ 'a//b.md': 'x' }],
  [{ 'a\u202eb.md': 'x' }],
  [{ a: 'x', 'a/b.md': 'x' }],
  [{}],
])('paths that no folder can hold are refused: %j', async (files) => {
  expect((await sendFiles(files, { name: 'x' })).status).toBe(400)
})

test('an uploaded API description is updated by its name, and cannot be refreshed', async () => {
  const document = (summary: string) =>
    JSON.stringify({ openapi: '3.1.0', info: { title: 'Pets' }, paths: { '/pets': { get: { summary, responses: {} } } } })
  const upload = (name: string, text: string) => send('/api/parse-openapi-upload', 'openapiFile', { [name]: text })
  expect((await added(upload('pet.store.json', document('List pets')))).project).toBe('/openapi/pet-store')
  expect((await added(upload('pet.store.json', document('List every pet')))).report?.filesRead).toBe(1)
  const refresh = await install.json('/api/projects/openapi/pet-store/refresh', { method: 'POST', key: install.keys.admin })
  expect([refresh.status, refresh.body]).toMatchObject([400, { message: expect.stringContaining('Upload its file again') }])
  expect((await added(upload('shop.graphql', 'type Query { orders: Int }'))).project).toBe('/openapi/shop')
  expect(
    (await added(upload('events.yaml', 'asyncapi: 3.0.0\ninfo: {title: Egg Events}\nchannels: {a: {address: x/y}}\n'))).error,
  ).toBe(null)
  const titleOf = async (id: string) =>
    ((await install.json(`/api/projects${id}`, { key: install.keys.admin })).body as { title: string }).title
  expect([await titleOf('/openapi/pet-store'), await titleOf('/openapi/events')]).toEqual(['Pets', 'Egg Events'])
  expect((await upload('a.json', '{"name": "openapi"}')).status).toBe(400)
  expect((await upload('a.json', ' '.repeat(5 * 2 ** 20))).status).toBe(413)
})

test('files of a deleted library are deleted', async () => {
  await added(sendFiles({ 'gone.md': page('Soon gone.') }))
  const before = stored()
  await install.json('/api/projects/files/gone', { method: 'DELETE', key: install.keys.admin })
  await install.app.deletions.finishAll()
  await install.app.imports.sweep()
  expect(stored()).toBeLessThan(before)
})

test('an upload that stops in the middle leaves the old content', async () => {
  await added(sendFiles({ 'kept.md': page('The kept page.') }))
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.from('--x\r\ncontent-disposition: form-data; name="files"; filename="kept.md"\r\n\r\nhalf'))
      setTimeout(() => controller.error(new Error('cut')), 100)
    },
  })
  const headers = { authorization: `Bearer ${install.keys.admin}`, 'content-type': 'multipart/form-data; boundary=x' }
  const options = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
  await expect(fetch(`${install.url}/api/parse-files`, options)).rejects.toThrow()
  await install.app.imports.sweep()
  expect((await ask('/files/kept', 'kept page')).infoSnippets[0]?.content).toContain('kept page')
})
