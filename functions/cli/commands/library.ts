import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { printAnswer, printRemark } from '../../../shared/cli/print.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { AppError } from '../../../shared/errors.ts'
import { type Admin, isServerGone, type UseAdmin } from '../api/admin.ts'

const pauseMs = 250

export function libraryCommands(program: Command, admin: UseAdmin): void {
  program
    .command('add')
    .description('add a repository; exits when its library is served or has failed')
    .argument('<repo-url>', 'address of a GitHub or GitLab repository, or owner/repo')
    .option('--private', 'serve it only to keys of its teamspace, and read it with the stored token of its host')
    .option('--teamspace <name>', 'the owner')
    .action(async (repoUrl: string, options: { private?: true; teamspace?: string }) => {
      if (options.private && options.teamspace === undefined)
        throw new UsageError('--private requires --teamspace: only keys of that teamspace can use the library.')
      await admin(async (hosted) => {
        const input = { repoUrl, private: options.private ?? false, teamspace: options.teamspace }
        const { project } = await hosted.run<{ project: string }>('add', input)
        printAnswer(project)
        await waitUntilParsed(hosted, project)
      })
    })

  program
    .command('refresh')
    .description('refresh a library; exits when that is done or has failed')
    .argument('<library>', 'such as /owner/repo')
    .action(async (library: string) => {
      await admin(async (hosted) => {
        const { project } = await hosted.run<{ project: string }>('refresh', { library })
        await waitUntilParsed(hosted, project)
      })
    })

  program
    .command('schedule')
    .description('set when the repository of a library is asked for changes')
    .argument('<library>', 'such as /owner/repo')
    .argument('<schedule>', 'off, daily, weekly, five fields of cron and a time zone in quotes, or default')
    .action(async (library: string, schedule: string) => {
      await admin(({ run }) => run('schedule', { library, schedule }))
    })

  program
    .command('flagged')
    .description('set what answers do with passages that may hold instructions aimed at agents')
    .argument('<library>', 'such as /owner/repo')
    .argument('<rule>', 'serve, mark, withhold, or default')
    .action(async (library: string, rule: string) => {
      await admin(({ run }) => run('flagged', { library, rule }))
    })

  program
    .command('remove')
    .description('remove a library, or one version of it, with its counters')
    .argument('<library>', 'such as /owner/repo or /owner/repo@version')
    .action(async (library: string) => {
      await admin(({ run }) => run('remove', { library }))
    })
}

type Progress = {
  state: string
  error: string | null
  active: boolean
  job: { stage: string; filesDone: number; filesTotal: number } | null
}

async function waitUntilParsed({ run }: Admin, library: string): Promise<void> {
  for (let shown = ''; ; ) {
    const { active, state, error, job } = await run<Progress>('progress', { library }).catch((failed: unknown) =>
      Promise.reject(isServerGone(failed) ? jobContinues(library, failed) : failed),
    )
    if (!active) {
      if (error !== null) throw new AppError('command_failed', error)
      return printRemark(`${library} is ${state}.`)
    }
    if (job && job.stage !== shown) printRemark(job.stage)
    shown = job?.stage ?? shown
    await sleep(pauseMs)
  }
}

const jobContinues = (library: string, cause: unknown): AppError =>
  new AppError(
    'command_failed',
    `The server stopped. The job of ${library} is stored and continues when the server runs again. Until the library is served, /api/v2/context?libraryId=${library} shows the progress.`,
    { cause },
  )
