import type { Command } from 'commander'
import { printRemark } from '../../../shared/cli/print.ts'
import type { LicenseRecord } from '../../access/licenses.ts'
import type { UseAdmin } from '../api/admin.ts'

export function licenseCommand(program: Command, admin: UseAdmin): void {
  program
    .command('license')
    .description('licenses that this service accepts')
    .command('revoke')
    .description('revoke a license, also one that was issued elsewhere')
    .argument('<id>', 'the id of the license')
    .action(async (id: string) => {
      const { license } = await admin(({ run }) => run<{ license: LicenseRecord | null }>('revokeLicense', { id }))
      const whose = license ? `the ${license.kind} license of ${license.customer}` : 'it was not issued here'
      printRemark(`license ${id} is revoked: ${whose}.`)
    })
}
