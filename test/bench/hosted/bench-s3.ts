import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { S3Client } from '@aws-sdk/client-s3'
import { listedSnippets } from '../../../functions/generations/listed-snippets.ts'
import { s3Files } from '../../../functions/generations/stored-files.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { type DocumentationOptions, documentation, type Library } from '../documentation.ts'
import { randomFrom, zipf } from '../random.ts'
import { median, type Report } from '../report.ts'
import { type AliasS3, aliasS3 } from './alias-s3.ts'
import type { Answered, Asked } from './ask-s3.ts'
import { emulatedS3 } from './emulated-s3.ts'
import { limitMemory } from './memory-limit.ts'
import { parseFolder } from './parsed-folder.ts'

/** The memory of the function, in `stacks/lambda.ts`. */
const functionBytes = 1769 * 2 ** 20
const asked = 150
const script = fileURLToPath(new URL('./ask-s3.ts', import.meta.url))

/** Counts what questions read from S3, by number of libraries, with LanceDB on S3 and with copies on the disk. */
export async function benchS3(report: Report, folder: string, options: DocumentationOptions): Promise<void> {
  const { source, libraries } = await documentation(options, folder)
  const s3 = await emulatedS3()
  const proxy = await aliasS3(s3.endpoint)
  try {
    const names: string[] = []
    for (const library of libraries) names.push(await store(library, names.length, s3.address, join(folder, 's3-source')))
    const questions = libraries.map(questionsOf)
    for (const count of [1, 200, 2000]) {
      const random = randomFrom(count)
      const work = Array.from({ length: asked }, (_, n): Asked => {
        const chosen = zipf(random, count)
        const [name, own] = [names[chosen % names.length], questions[chosen % names.length] ?? []]
        return { generation: `${name}-n${chosen}`, query: own[n % own.length] ?? '' }
      })
      for (const copies of [false, true]) {
        const figure = `${count} ${count === 1 ? 'library' : 'libraries'}, ${copies ? 'copied' : 'on S3'}`
        await measure(report, `${figure} (${source})`, proxy, work, copies ? join(folder, `copies-${count}`) : undefined)
      }
    }
  } finally {
    await proxy.close()
    await s3.close()
  }
}

async function measure({ note }: Report, figure: string, proxy: AliasS3, work: Asked[], folder: string | undefined) {
  const child = fork(script, ['content', ...(folder === undefined ? [] : [folder])], {
    env: { ...process.env, AWS_ENDPOINT: proxy.url, AWS_ENDPOINT_URL_S3: proxy.url },
  })
  const limit = limitMemory(child.pid ?? 0, functionBytes)
  const [first, later]: (Answered & { requests: number; rounds: number; bytes: number })[][] = [[], []]
  const known = new Set<string>()
  for (const question of work) {
    const { result, ...counted } = await proxy.count(() => answerOf(child, question))
    ;(known.has(question.generation) ? later : first)?.push({ ...counted, ...result })
    known.add(question.generation)
  }
  child.kill()
  await once(child, 'exit')
  limit?.end()
  for (const [name, all] of [
    ['first of a library', first ?? []],
    ['later', later ?? []],
  ] as const) {
    const of = (key: 'requests' | 'rounds' | 'bytes' | 'ms') => median(all.map((each) => each[key]))
    const more = `${of('rounds')} rounds, ${(of('bytes') / 1e6).toFixed(2)} MB, ${of('ms').toFixed(0)} ms; ${all.length} questions`
    note({ figure: `${figure}: ${name}`, measured: of('requests'), unit: 'GETs', more })
  }
  const peak = Math.max(...[...(first ?? []), ...(later ?? [])].map(({ peakMb }) => peakMb))
  const more = limit ? 'in a cgroup of 1,769 MB, page cache included' : 'no cgroup here: the memory was not limited'
  note({ figure: '  peak RSS', wanted: { max: 1769 }, measured: peak, unit: 'MB', more })
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
}

async function answerOf(child: ChildProcess, question: Asked): Promise<Answered> {
  const waiting = new AbortController()
  const { signal } = waiting
  const ended = once(child, 'exit', { signal }).then(([code, cause]) => {
    throw new Error(`the function ended: ${code ?? cause}`)
  })
  const answered = once(child, 'message', { signal })
  child.send(question)
  try {
    const [answer] = await Promise.race([answered, ended])
    return answer as Answered
  } finally {
    for (const each of [answered, ended]) each.catch(() => undefined)
    waiting.abort()
  }
}

/** Indexes a library with the real pipeline. Returns the name of its generation. */
async function store({ files }: Library, number: number, address: string, root: string): Promise<string> {
  for (const [path, text] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const s3 = new S3Client({ endpoint: process.env.AWS_ENDPOINT ?? '', forcePathStyle: true })
  const snippets = listedSnippets(lanceSnippets(address), s3Files(s3, 'content', 'snippets'))
  const { snippets: count } = await parseFolder(root)(snippets, `docs${number}`)
  console.error(`  library ${number}: ${count} snippets`)
  snippets.close()
  s3.destroy()
  await rm(root, { recursive: true })
  return `docs${number}`
}

/** The questions of a kit, else the headings of the documents. */
export function questionsOf({ questions, files }: Library): string[] {
  if (questions.length > 0) return questions
  return [...files.values()].flatMap((text) => /^#{1,3} +([^\n]{8,80})$/m.exec(text)?.[1] ?? []).slice(0, 500)
}
