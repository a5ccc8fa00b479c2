import { existsSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import type { Install } from '../../../shared/cli/install.ts'
import { printAnswer, printDone } from '../../../shared/cli/print.ts'
import { type Columns, jsonOption, printList } from '../../../shared/cli/print-list.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { AppError } from '../../../shared/errors.ts'
import { fileSize, megabytes } from '../../../shared/text/figures.ts'
import { type RuntimePlatform, runtimePlatforms } from '../../models/fetch-runtime.ts'
import type { ListedModel } from '../../models/model-store.ts'
import { call } from '../api/connection.ts'
import { endOnInterrupt } from '../api/end-on-interrupt.ts'
import { addRuntime, packModel, unpackSource } from '../api/model-files.ts'
import { shownCommand } from '../api/show-commands.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

type AddOptions = { from?: string; confirm?: string }
type PackOptions = { runtime?: RuntimePlatform }

export function modelsCommands(program: Command, install: Install, run: RunCommand): void {
  const models = program.command('models').description('local models, which read snippets and questions without a provider')

  models
    .command('list')
    .description('list the models that can be added and those that are installed, with their costs and what they found')
    .addOption(jsonOption())
    .action((options: { json?: boolean }) => run('models list', (ports) => list(ports, options)))

  models
    .command('add')
    .description('add a model and, if it is missing, the runtime of models; an interrupted download is continued')
    .argument('<name>', 'as listed, or with --from a new name')
    .option('--from <path>', 'a folder, or a zip of "models pack", instead of the hub in the setting models.hub')
    .option('--confirm <sha256>', 'accept a model that the catalogue does not know')
    .action((name: string, options: AddOptions) =>
      run('models add', (ports) => endOnInterrupt((signal) => add(ports, install.dataDirPath, name, options, signal))),
    )

  models
    .command('use')
    .description('test an installed model, then choose it in the settings')
    .argument('<name>', 'as listed')
    .action((name: string) => run('models use', (ports) => use(ports, name)))

  models
    .command('remove')
    .description('delete a model, or what has been downloaded of it')
    .argument('<name>', 'as listed')
    .action((name: string) =>
      run('models remove', async ({ api }) => {
        const { message } = await (await call(api.models[':name'].$delete({ param: { name } }))).json()
        printDone(message)
      }),
    )

  models
    .command('pack')
    .description('write an installed model into a zip, for "models add --from" on a server without internet')
    .argument('<name>', 'as listed')
    .argument('[file]', 'a new file; by default NAME.zip')
    .addOption(new Option('--runtime <platform>', 'with the runtime of models for this platform').choices(runtimePlatforms))
    .action((name: string, file: string | undefined, options: PackOptions) => {
      const target = file ?? `${name}.zip`
      if (existsSync(target)) throw new UsageError(`models pack: ${target} exists already. Name a new file.`)
      return run('models pack', (ports) =>
        endOnInterrupt(async (signal) => {
          await installed(ports, name)
          ports.progress.show(`Packing ${name}`)
          await packModel(install.dataDirPath, name, target, options.runtime, signal)
          ports.progress.clear()
          printAnswer(`${target}: ${fileSize(statSync(target).size)}`)
        }),
      )
    })
}

const percent = (share: number | undefined): string => (share === undefined ? '' : `${Math.round(share * 100)} %`)

const columns: Columns<ListedModel> = {
  model: ({ name }) => name,
  state: ({ state, progress }) => (progress ? `${state} ${shareOf(progress)}` : state),
  size: ({ bytes }) => megabytes(bytes),
  license: ({ license }) => license,
  languages: ({ languages }) => (languages.length > 5 ? `${languages.length} languages` : languages.join(', ')),
  'CPU s per 1,000': ({ cpuSecondsPerThousand }) => cpuSecondsPerThousand ?? 'not measured',
  'in first 5': ({ measured }) => percent(measured?.inFirst5),
  'in 2,000 tokens': ({ measured }) => percent(measured?.in2kTokens),
}

const shareOf = ({ doneBytes, totalBytes }: { doneBytes: number; totalBytes: number }): string =>
  percent(Math.floor((100 * doneBytes) / totalBytes) / 100)

async function list({ api, progress }: CommandPorts, { json = false }: { json?: boolean }): Promise<void> {
  const { models, measuredText, mirror } = await (await call(api.models.$get())).json()
  printList(columns, models, { json })
  if (json) return
  for (const { name, error } of models) if (error !== undefined) progress.remark(`${name}: ${error}`)
  const { questions, inFirst5, in2kTokens } = measuredText
  progress.remark(
    `Of ${questions} questions about documentation, words alone find ${percent(inFirst5)} in the first five snippets and ${percent(in2kTokens)} in the first 2,000 tokens.`,
  )
  if (mirror !== undefined) progress.remark(`Models are fetched from ${mirror}.`)
}

async function modelNamed({ api }: CommandPorts, name: string): Promise<ListedModel | undefined> {
  const { models } = await (await call(api.models.$get())).json()
  return models.find((model) => model.name === name)
}

const isInstalled = ({ state }: ListedModel): boolean => state === 'installed' || state === 'active'

/** Throws not_found or command_failed with what to do. */
async function installed(ports: CommandPorts, name: string): Promise<ListedModel> {
  const model = await modelNamed(ports, name)
  if (!model) throw new AppError('not_found', `There is no model "${name}"; "${shownCommand('models list')}" shows them.`)
  if (isInstalled(model)) return model
  throw new AppError('command_failed', `The model "${name}" is ${model.state}. Add it: ${shownCommand(`models add ${name}`)}`)
}

async function add(ports: CommandPorts, dataDir: string, name: string, { from, confirm }: AddOptions, signal: AbortSignal) {
  if (from === undefined) await download(ports, name, signal)
  else await addFrom(ports, dataDir, name, { from, confirm }, signal)
  await addRuntime(dataDir, () => ports.progress.show('Installing the runtime of models with npm'), signal)
  ports.progress.clear()
  printDone(`${name} is installed. Choose it: ${shownCommand(`models use ${name}`)}`)
}

const pollMs = 300

async function download(ports: CommandPorts, name: string, signal: AbortSignal): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  await call(ports.send(`/api/models/${encodeURIComponent(name)}`, { method: 'POST', body: '{}', headers, signal }))
  for (;;) {
    const model = await modelNamed(ports, name)
    if (model && isInstalled(model)) return
    if (model?.state !== 'downloading')
      throw new AppError('command_failed', model?.error ?? `The download of ${name} was cancelled.`)
    const { doneBytes = 0, totalBytes = 1 } = model.progress ?? {}
    ports.progress.show(`${name}: ${fileSize(doneBytes)} of ${fileSize(totalBytes)}`, doneBytes / totalBytes)
    await sleep(pollMs, undefined, { signal })
  }
}

async function addFrom(
  ports: CommandPorts,
  dataDir: string,
  name: string,
  { from, confirm }: { from: string; confirm: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  ports.progress.show(`Reading ${from}`)
  await unpackSource({ dataDir, from, signal }, async (zip) => {
    const query = confirm === undefined ? '' : `?confirm=${encodeURIComponent(confirm)}`
    const headers = { 'content-type': 'application/zip' }
    const sent = ports.send(`/api/models/${encodeURIComponent(name)}${query}`, { method: 'POST', body: zip, headers, signal })
    await call(sent).catch((error: unknown) => {
      throw asFailure(error)
    })
  })
}

/** A model that is rejected is not wrong usage. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'validation_error') return error
  const { confirm } = error.fields
  const advice = typeof confirm === 'string' ? ` Here: --confirm ${confirm}` : ''
  return new AppError('command_failed', error.message + advice, { cause: error })
}

async function use(ports: CommandPorts, name: string): Promise<void> {
  const { use: purpose, cpuSecondsPerThousand: cost } = await installed(ports, name)
  const isEmbedding = purpose === 'embedding'
  const changes = isEmbedding
    ? { 'embedding.provider': 'local', 'embedding.model': name }
    : { 'llm.rerank': 'local', 'llm.rerankModel': name }
  ports.progress.show(`Testing ${name}`)
  const only = isEmbedding ? 'embedding' : 'rerank'
  const tests = await (await call(ports.api.settings.test.$post({ query: { only }, json: changes }))).json()
  const test = tests[only]
  if (!test?.ok) throw new AppError('command_failed', `${test?.error ?? 'The test failed.'} Nothing was changed.`)
  await call(ports.api.settings.$patch({ json: changes }))
  ports.progress.clear()
  printDone(`${name} is chosen; it answered in ${test.ms} ms.`)
  if (!isEmbedding) return
  const figure = cost === undefined ? '' : ` Each 1,000 snippets take about ${cost} s of a processor.`
  ports.progress.remark(`Existing libraries need a re-index (POST /api/reindex, or the page Embedding of the settings).${figure}`)
}
