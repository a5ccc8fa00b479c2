import { homedir } from 'node:os'
import type { Command } from 'commander'
import type { Install } from '../../../shared/cli/install.ts'
import { jsonOption } from '../../../shared/cli/print-list.ts'
import { type DatabaseState, databaseState } from '../../../shared/store/database.ts'
import { type Config, readConfig } from '../../config.ts'
import type { Connection } from '../api/connection.ts'
import { checkClients } from '../doctor/check-clients.ts'
import { checkDataDir, checkTempDir } from '../doctor/check-folders.ts'
import { checkLicense } from '../doctor/check-license.ts'
import { checkGitHosts, checkProxies, checkPublicUrl } from '../doctor/check-network.ts'
import { checkPrivate } from '../doctor/check-private.ts'
import { checkGit, checkLance, checkVersions } from '../doctor/check-programs.ts'
import { checkProviders } from '../doctor/check-providers.ts'
import { checkMcp, checkPort, checkServer } from '../doctor/check-server.ts'
import { type DoctorPorts, type Finding, type Line, ok, printFindings, problem, warning } from '../doctor/finding.ts'

type Options = { json?: boolean; gitHosts?: boolean }

export function doctorCommand(program: Command, install: Install): void {
  program
    .command('doctor')
    .description('check this machine, this install and AI clients, and say what to do')
    .option('--git-hosts', 'also connect to the git hosts of the settings')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nConnects only to the running server, the configured model providers and the addresses in the files of AI clients, unless --git-hosts is given.',
    )
    .action(async ({ json, gitHosts }: Options) => {
      const lines = await examine(install, { env: process.env, gitHosts: gitHosts ?? false })
      printFindings(lines, { json })
    })
}

async function examine(install: Install, { env, gitHosts }: { env: DoctorPorts['env']; gitHosts: boolean }): Promise<Line[]> {
  const lines: Line[] = []
  /** Runs one check. An error of it is a problem, and the next checks run. */
  const check = async (name: string, work: () => Finding | Finding[] | Promise<Finding | Finding[]>): Promise<boolean> => {
    const oneOrMore = await Promise.resolve()
      .then(work)
      .catch((error: unknown) => problem(error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error)))
    const findings = [oneOrMore].flat()
    lines.push(...findings.map(({ state, message, advice }) => ({ check: name, state, message, ...(advice && { advice }) })))
    return findings.every(({ state }) => state !== 'problem')
  }
  const dataDir = install.dataDirPath
  let config: Config | undefined
  let server: Connection | undefined

  await check('versions', checkVersions)
  await check('lancedb', checkLance)
  await check('git', () => checkGit({ env }))
  await check('environment', () => {
    config = readConfig(env)
    return ok('The environment variables are valid.')
  })
  const isUsable = await check('data', () => checkDataDir(dataDir))
  await check('temp', checkTempDir)
  if (isUsable) {
    await check('server', async () => {
      const checked = await checkServer(dataDir, install.command)
      server = checked.server
      return checked.findings
    })
  }
  await check('mcp', () => (server ? checkMcp(server) : []))
  const { HOST, PORT, PUBLIC_URL } = config ?? {}
  if (!server && HOST !== undefined && PORT !== undefined) await check('port', () => checkPort({ HOST, PORT }))
  await check('public url', () => checkPublicUrl({ PUBLIC_URL }))
  await check('proxy', () => checkProxies({ env }))
  const database = isUsable ? databaseState(dataDir) : 'missing'
  const ports = { install, env, server, hasDatabase: database !== 'missing' }
  const unread = server ? undefined : unreadable[database]
  await check('license', () => unread ?? checkLicense(ports))
  await check('private libraries', () => (unread ? [] : checkPrivate(ports)))
  await check('models', () => unread ?? checkProviders(ports))
  if (gitHosts) await check('git hosts', () => unread ?? checkGitHosts(ports))
  await check('clients', () => checkClients({ home: homedir(), env, platform: process.platform }, process.cwd()))
  await server?.close()
  return lines
}

/** The database of another version cannot be read without migrating it. */
const unreadable: Partial<Record<DatabaseState, Finding>> = {
  foreign: problem(
    'Not checked: the database was written by an unreleased version of Carrel or by another program.',
    'Choose an empty DATA_DIR and add the libraries again.',
  ),
  older: warning('Not checked: the database is of an older version.', 'The next start of this version migrates it.'),
  newer: problem('Not checked: the database is of a newer version.', 'Use the Carrel of that version.'),
}
