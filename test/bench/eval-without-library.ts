import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { scoreText } from '../../onprem/queries/score-text.ts'
import { type LibraryId, printLibraryId } from '../../shared/library.ts'
import { chooseLibraries } from '../../shared/search/choose-libraries.ts'
import { getContext } from '../../shared/search/get-context.ts'
import { freePort } from '../fixtures/free-port.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'
import { printSearches, type ScoredQuestion, type ScoredSearch } from './eval-table.ts'

const Corpora = z.array(z.object({ repo: z.string(), corpus: z.string(), libraryId: z.string() }))
const Questions = z.array(z.object({ corpus: z.string(), query: z.string() }))

type Choose = (query: string) => Promise<LibraryId[]>

/** Asks all questions of the sets without a library, in an install that has the corpora of all of them, and prints the choices and the answers. */
export async function evalWithoutLibrary(kit: string, splits: string[], only: string[] | undefined): Promise<void> {
  const read = <T>(split: string, name: string, schema: z.ZodType<T>): T =>
    schema.parse(JSON.parse(readFileSync(join(kit, split, name), 'utf8')))
  const corpora = splits
    .flatMap((split) => read(split, 'corpora.json', Corpora))
    .filter(({ corpus }) => only?.includes(corpus) ?? true)
  const idOf = new Map(corpora.map(({ corpus, libraryId }) => [corpus, libraryId]))
  const install = await installOf(kit, corpora)
  try {
    const ways = waysOf(install)
    const searches: ScoredSearch[] = []
    for (const split of splits) {
      const questions = read(split, 'queries.json', Questions).filter(({ corpus }) => idOf.has(corpus))
      if (questions.length === 0) continue
      for (const [way, choose] of Object.entries(ways)) await printChoices(`${split}, ${way}`, questions, idOf, choose)
      searches.push({ ...(await scored(kit, split, only, install, install.url)), search: 'its library' })
      for (const [way, choose] of Object.entries(ways)) {
        const server = await redirecting(install.url, choose)
        searches.push({ ...(await scored(kit, split, only, install, server.url)), search: way })
        server.close()
      }
    }
    printSearches(searches)
  } finally {
    await install.close()
  }
}

async function installOf(kit: string, corpora: { repo: string }[]): Promise<TestInstall> {
  const port = await freePort()
  const git = spawn(process.execPath, [join(kit, 'serve-git.mjs'), '--port', String(port), '--split', 'all'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(git.stdout, 'data')
  const install = await testInstall()
  try {
    install.app.settings.change({ 'github.baseUrl': `http://127.0.0.1:${port}` })
    for (const { repo } of corpora) {
      const { state, error } = await install.parse(`http://127.0.0.1:${port}/${repo}`)
      if (state !== 'done') throw new Error(`${repo}: ${error ?? state}`)
    }
    await install.app.textIndex.refresh()
    await install.app.textIndex.settled()
    return install
  } catch (error) {
    await install.close()
    throw error
  } finally {
    git.kill()
  }
}

/** Libraries are chosen by their text, and as without an index: by names and sizes, then by their answers. */
function waysOf({ app }: TestInstall): Record<string, Choose> {
  const ask = (query: string) => (libraryId: LibraryId) => getContext(app, { libraryId, query, tokens: 1000, fast: 'true' })
  const listed = async () => (await app.catalog.listed()).libraries
  return {
    'chosen by answers': async (query) => chooseLibraries(await listed(), query, ask(query)).catch(() => []),
    'chosen by text': async (query) =>
      chooseLibraries(await listed(), query, ask(query), scoreText(app.textIndex)).catch(() => []),
  }
}

async function printChoices(
  name: string,
  questions: z.infer<typeof Questions>,
  idOf: Map<string, string>,
  choose: Choose,
): Promise<void> {
  const before = process.cpuUsage()
  const places: number[] = []
  for (const { corpus, query } of questions)
    places.push((await choose(query)).map(printLibraryId).indexOf(idOf.get(corpus) ?? ''))
  const { user, system } = process.cpuUsage(before)
  const share = (fits: (place: number) => boolean) => (places.filter(fits).length / places.length).toFixed(3)
  const cpuMs = ((user + system) / 1000 / questions.length).toFixed(1)
  console.log(
    `${name}: first ${share((place) => place === 0)}, among five ${share((place) => place >= 0)}, ${cpuMs} ms CPU a question`,
  )
}

/** A server that answers questions to one library by those to the chosen libraries. */
async function redirecting(url: string, choose: Choose): Promise<{ url: string; close(): void }> {
  const server = http.createServer(async (request, response) => {
    const { searchParams } = new URL(request.url ?? '/', url)
    const query = searchParams.get('query') ?? ''
    const libraryIds = (await choose(query)).map(printLibraryId).join(',')
    const asked = new URLSearchParams({ libraryIds, query, type: 'json' })
    const answer = await fetch(`${url}/api/v2/context?${asked}`, {
      headers: { authorization: request.headers.authorization ?? '' },
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() }
}

async function scored(
  kit: string,
  split: string,
  only: string[] | undefined,
  { dataDir, keys }: TestInstall,
  url: string,
): Promise<Omit<ScoredSearch, 'search'>> {
  const out = join(dataDir, 'scores.json')
  const options = ['--base-url', url, '--api-key', keys.admin, '--queries', resolve(kit, split, 'queries.json'), '--out', out]
  const chosen = only ? ['--corpus', only.join(',')] : []
  const before = process.cpuUsage()
  const scorer = spawn(process.execPath, [join(kit, 'score.mjs'), ...options, ...chosen], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await once(scorer, 'exit')
  const { user, system } = process.cpuUsage(before)
  const { context } = JSON.parse(readFileSync(out, 'utf8')) as { context: { rows: ScoredQuestion[] } }
  return { set: split, questions: context.rows, indexingSeconds: 0, answeringSeconds: (user + system) / 1e6 }
}
