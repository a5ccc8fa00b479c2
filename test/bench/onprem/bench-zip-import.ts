import { openAsBlob } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import JSZip from 'jszip'
import type { Documentation } from '../documentation.ts'
import { merged } from '../libraries.ts'
import type { Report } from '../report.ts'
import { exportedBody } from './exported-body.ts'
import { prepare } from './prepare.ts'
import { startServerProcess } from './server-process.ts'

const megabytes = 95

/** Measures the time from the last byte of a zip of real exports until its first library is queued. */
export async function benchZipImport({ note }: Report, folder: string, texts: Documentation): Promise<void> {
  const key = await prepare(folder, {})
  const path = join(folder, 'bench.zip')
  const { zipBytes, libraries } = await writeZip(path, await exportedLibrary(folder, texts))
  const server = await startServerProcess(folder)
  const headers = { authorization: `Bearer ${key}` }
  const form = new FormData()
  form.append('bundleFile', await openAsBlob(path), 'service-libraries.zip')
  const body = Buffer.from(await new Response(form).arrayBuffer())
  const type = new Response(form).headers.get('content-type') ?? ''
  const boundary = body.subarray(2, body.indexOf('\r\n')).toString()
  let sentMs = 0
  const send = async function* () {
    for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536)
    sentMs = performance.now()
  }
  const answering = fetch(`${server.url}/api/import-libraries`, {
    method: 'POST',
    headers: { ...headers, 'content-type': type.replace(/boundary=.*/, `boundary=${boundary}`) },
    body: ReadableStream.from(send()),
    duplex: 'half',
  } as RequestInit)
  const first = await queuedFirst(server.url, headers)
  const firstMs = performance.now() - sentMs
  const answer = await answering
  const answeredMs = performance.now() - sentMs
  if (answer.status !== 202) throw new Error(await answer.text())
  await server.stop()
  note({
    figure: `zip of ${(zipBytes / 1e6).toFixed(0)} MB, ${libraries} libraries: first job after the last byte`,
    wanted: { max: 2000 },
    measured: firstMs,
    unit: 'ms',
    more: `job ${first}, answered after ${(answeredMs / 1000).toFixed(1)} s`,
  })
}

async function queuedFirst(url: string, headers: Record<string, string>): Promise<number> {
  for (;;) {
    const { jobs } = (await (await fetch(`${url}/api/jobs`, { headers })).json()) as { jobs: { id: number }[] }
    const first = jobs.at(-1)
    if (first) return first.id
    await sleep(10)
  }
}

async function exportedLibrary(folder: string, texts: Documentation): Promise<string> {
  const { path } = await exportedBody(folder, [merged(texts)], 1)
  return readFile(path, 'utf8')
}

/** The library under as many names as fill the zip. Stored, not deflated, so that it is as large as its content. */
async function writeZip(path: string, body: string): Promise<{ zipBytes: number; libraries: number }> {
  const zip = new JSZip()
  const libraries = Math.max(1, Math.floor((megabytes * 1e6) / Buffer.byteLength(body)))
  for (let n = 0; n < libraries; n++)
    zip.file(`bench-${n}.json`, body.replace(/"project":"[^"]*"/, `"project":"/bench/zip-${n}"`), { compression: 'STORE' })
  const bytes = await zip.generateAsync({ type: 'nodebuffer' })
  await writeFile(path, bytes)
  return { zipBytes: bytes.length, libraries }
}
