import { type Command, Option } from 'commander'
import { z } from 'zod'
import { printAnswer } from '../../../shared/cli/print.ts'
import { jsonOption } from '../../../shared/cli/print-list.ts'
import { readOption } from '../../../shared/cli/read-option.ts'
import { AppError } from '../../../shared/errors.ts'
import { BaseUrl } from '../../../shared/schemas/base-url.ts'
import { runSmoke, type SmokeResult } from '../smoke/run-smoke.ts'
import { smokeApi } from '../smoke/smoke-api.ts'
import { smokeSteps } from '../smoke/smoke-steps.ts'

type Options = {
  baseUrl: string
  key: string
  license?: string
  repository: string
  platform: 'github' | 'gitlab'
  json?: boolean
}

/** A value that a header can carry. */
const Key = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]+$/, 'must be one word of ASCII characters')

export function smokeCommand(program: Command): void {
  program
    .command('smoke')
    .description('take one library through a running stage, from its addition to its counters')
    .requiredOption('--base-url <url>', 'address of the stage')
    .addOption(
      new Option('--key <key>', 'key of the teamspace that owns the library').env('CARREL_API_KEY').makeOptionMandatory(),
    )
    .addOption(new Option('--license <license>', 'offline license; without it, the export is not tried').env('SMOKE_LICENSE'))
    .option(
      '--repository <url>',
      'repository of the library, as an address or owner/repo; a small one is faster',
      'https://github.com/sindresorhus/slugify',
    )
    .addOption(new Option('--platform <platform>', 'git host of the repository').choices(['github', 'gitlab']).default('github'))
    .addOption(jsonOption())
    .action(async ({ baseUrl: address, key: sentKey, license: sentLicense, repository, platform, json = false }: Options) => {
      const baseUrl = readOption('--base-url', BaseUrl, address)
      const key = readOption('--key', Key, sentKey)
      const license = readOption('--license', Key.optional(), sentLicense || undefined)
      const api = smokeApi(baseUrl, key)
      const steps = smokeSteps({ baseUrl, key, license, repoUrl: repository, platform, api })
      const results = await runSmoke(steps, (result) => json || printAnswer(lineOf(result)))
      const failed = results.filter(({ state }) => state === 'failed').map(({ step }) => step)
      if (json) printAnswer(JSON.stringify({ passed: failed.length === 0, baseUrl, repository, steps: results }, null, 2))
      if (failed.length > 0) throw new AppError('command_failed', `${baseUrl} fails: ${failed.join(', ')}.`)
    })
}

const lineOf = ({ state, step, ms, message, advice }: SmokeResult): string =>
  `${state}\t${step}\t${ms} ms\t${advice === undefined ? message : `${message} ${advice}`}`
