import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { printAnswer, printRemark } from '../../shared/cli/install.ts'
import { AppError } from '../../shared/errors.ts'
import { type Admin, type UseAdmin, wentAway } from './admin.ts'

const pauseMs = 250

export function libraryCommands(program: Command, admin: UseAdmin): void {
  program
    .command('add')
    .description('add a repository; ends when its library answers or has failed')
    .argument('<repo-url>', 'https address of a GitHub or GitLab repository')
    .option('--private', 'only for keys of its teamspace; read with the stored token of its host')
    .option('--teamspace <name>', 'the owner')
    .action(async (repoUrl: string, options: { private?: true; teamspace?: string }) => {
      if (options.private && options.teamspace === undefined)
        throw new AppError('validation_error', '--private needs --teamspace, whose keys alone will reach the library.')
      await admin(async (asked) => {
        const input = { repoUrl, private: options.private ?? false, teamspace: options.teamspace }
        const { project } = await asked.run<{ project: string }>('add', input)
        printAnswer(project)
        await parsed(asked, project)
      })
    })

  program
    .command('refresh')
    .description('read a library again; ends when that is done or has failed')
    .argument('<library>', 'such as /owner/repo')
    .action(async (library: string) => {
      await admin(async (asked) => {
        const { project } = await asked.run<{ project: string }>('refresh', { library })
        await parsed(asked, project)
      })
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

async function parsed({ run }: Admin, library: string): Promise<void> {
  for (let said = ''; ; ) {
    const { active, state, error, job } = await run<Progress>('progress', { library }).catch((failed: unknown) =>
      Promise.reject(wentAway(failed) ? leftBehind(library, failed) : failed),
    )
    if (!active) {
      if (error !== null) throw new AppError('internal_error', error)
      return printRemark(`${library} is ${state}.`)
    }
    if (job && job.stage !== said) printRemark(job.stage)
    said = job?.stage ?? said
    await sleep(pauseMs)
  }
}

const leftBehind = (library: string, cause: unknown): AppError =>
  new AppError(
    'internal_error',
    `The server went away. The job of ${library} is kept and goes on when the server runs again; /api/v2/context?libraryId=${library} says how far it is until it answers.`,
    { cause },
  )
