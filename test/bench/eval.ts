import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { Job } from '../../onprem/store/jobs/job.ts'
import { exported } from '../fixtures/exported.ts'
import { freePort } from '../fixtures/free-port.ts'
import { startOpenai } from '../fixtures/providers/openai.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

const usage = `usage: npm run eval -- KIT [--split NAME] [--imported json|zip] [--vectors DIMENSIONS] [-- options of the kit's scorer]
Starts an install on a temporary folder, parses the corpora of the kit (or imports them from a hosted half that parsed them) and scores its answers.
--vectors adds embeddings: feature hashes from an emulated provider, a weak model that must not make answers worse.`

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: { split: { type: 'string', default: 'public' }, imported: { type: 'string' }, vectors: { type: 'string' } },
})
const [kit, ...scorerOptions] = positionals
if (kit === undefined || !existsSync(join(kit, values.split, 'corpora.json'))) {
  console.error(kit === undefined ? usage : `${join(kit, values.split)} has no corpora.json\n${usage}`)
  process.exit(2)
}
const folder = resolve(kit, values.split)
const read = <T>(name: string, schema: z.ZodType<T>): T => schema.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))

const port = await freePort()
const gitUrl = `http://127.0.0.1:${port}`
const git = spawn(process.execPath, [join(kit, 'serve-git.mjs'), '--port', String(port), '--split', values.split], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
await once(git.stdout, 'data')
const install = await testInstall()
install.app.settings.change({ 'github.baseUrl': gitUrl })
const provider = values.vectors === undefined ? undefined : await startOpenai({ dimensions: Number(values.vectors) })
try {
  if (provider)
    install.app.settings.change({
      'embedding.provider': 'custom',
      'embedding.baseUrl': provider.url,
      'embedding.model': 'feature hashes',
    })
  loadCatalogue(install)
  const repos = read('corpora.json', z.array(z.object({ repo: z.string() }))).map(({ repo }) => repo)
  const jobs = values.imported === undefined ? await parseAll(repos) : await importAll(repos, values.imported)
  for (const { project, report } of jobs) {
    console.log(
      `${project}: ${report?.filesRead} files, ${report?.skipped.length} skipped, ${report?.snippetsAfter} snippets, ${report?.durationMs} ms`,
    )
    for (const { path, reason } of report?.skipped.slice(0, 3) ?? []) console.log(`  skipped ${path}: ${reason}`)
  }
  const options = [
    '--base-url',
    install.url,
    '--queries',
    join(folder, 'queries.json'),
    '--libs',
    join(folder, 'libs.json'),
    ...scorerOptions,
  ]
  const scorer = spawn(process.execPath, [join(kit, 'score.mjs'), ...options], { stdio: 'inherit' })
  const [code] = await once(scorer, 'exit')
  process.exitCode = Number(code)
} finally {
  await install.close()
  await provider?.close()
  git.kill()
}

async function parseAll(repos: string[]): Promise<Job[]> {
  const jobs: Job[] = []
  for (const repo of repos) jobs.push(successful(await install.parse(`${gitUrl}/${repo}`)))
  return jobs
}

/** Imports the corpora as the hosted half exports them: in one zip, or one JSON body for each. */
async function importAll(repos: string[], format: string): Promise<Job[]> {
  const from = await exported(gitUrl, repos)
  try {
    install.app.settings.change({ 'bundle.trustedKeys': from.bundleKey })
    if (format === 'zip') {
      const form = new FormData()
      form.append('bundleFile', new Blob([await from.zip()]), 'service-libraries.zip')
      return await importBody(form)
    }
    const jobs: Job[] = []
    for (const repo of repos) jobs.push(...(await importBody(await (await from.json(repo)).text())))
    return jobs
  } finally {
    await from.close()
  }
}

/** Imports a body and waits for its jobs. */
async function importBody(body: FormData | string): Promise<Job[]> {
  const response = await install.ask('/api/import-libraries?force=true', {
    method: 'POST',
    key: install.keys.admin,
    headers: typeof body === 'string' ? { 'content-type': 'application/json' } : {},
    body,
  })
  const { queued, skipped, message } = (await response.json()) as { queued: string[]; skipped: unknown[]; message: string }
  if (!response.ok || skipped.length > 0) throw new Error(`${message} ${JSON.stringify(skipped)}`)
  const jobs = install.app.jobs.list(1, 200).jobs.filter(({ kind, project }) => kind === 'import' && queued.includes(project))
  return (await Promise.all(jobs.map(({ id }) => install.ended(id)))).map(successful)
}

function successful<J extends Job>(job: J): J {
  if (job.state !== 'done') throw new Error(`${job.project}: ${job.error ?? job.state}`)
  return job
}

/** Adds the kit's libraries to the catalog, without content. */
function loadCatalogue({ app }: TestInstall): void {
  const Entry = z.object({
    repo: z.string(),
    libraryId: z.string(),
    title: z.string(),
    description: z.string(),
    starsK: z.number(),
  })
  for (const { repo, libraryId, title, description, starsK } of read('catalogue.json', z.array(Entry))) {
    app.catalog.publish(
      {
        id: libraryId,
        title,
        description,
        branch: 'main',
        sourceUrl: `${gitUrl}/${repo}`,
        private: false,
        aliases: [],
        stars: Math.round(starsK * 1000),
        settings: {},
      },
      [],
    )
  }
}
