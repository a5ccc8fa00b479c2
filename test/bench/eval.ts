import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { freePort, type TempInstall, tempInstall } from './temp-install.ts'

const usage = `usage: npm run eval -- KIT [--split NAME] [-- options of the kit's scorer]
Starts an install on a temporary folder, parses the corpora of the kit and scores its answers.`

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: { split: { type: 'string', default: 'public' } },
})
const [kit, ...scorerOptions] = positionals
if (kit === undefined || !existsSync(join(kit, values.split, 'corpora.json'))) {
  console.error(kit === undefined ? usage : `${join(kit, values.split)} holds no corpora.json\n${usage}`)
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
const install = await tempInstall(gitUrl)
try {
  loadCatalogue(install)
  for (const { repo } of read('corpora.json', z.array(z.object({ repo: z.string() })))) {
    const { report } = await install.parse(`${gitUrl}/${repo}`)
    console.log(
      `${repo}: ${report?.filesRead} files, ${report?.skipped.length} skipped, ${report?.snippetsAfter} snippets, ${report?.durationMs} ms`,
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
  git.kill()
}

/** The kit's libraries, known by name only. */
function loadCatalogue({ app }: TempInstall): void {
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
