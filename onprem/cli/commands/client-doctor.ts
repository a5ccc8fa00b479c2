import { homedir } from 'node:os'
import type { Command } from 'commander'
import { jsonOption } from '../../../shared/cli/print-list.ts'
import { checkClients } from '../doctor/check-clients.ts'
import { printFindings } from '../doctor/finding.ts'

/** The part of `doctor` that needs no install. */
export function clientDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check the AI clients that use Carrel, and say what to do')
    .addOption(jsonOption())
    .addHelpText('after', '\nConnects only to the addresses in the configuration of the clients, for at most 5 seconds each.')
    .action(async ({ json }: { json?: boolean }) => {
      const { env, platform } = process
      const findings = await checkClients({ home: homedir(), env, platform }, process.cwd())
      printFindings(
        findings.map((finding) => ({ check: 'clients', ...finding })),
        { json },
      )
    })
}
