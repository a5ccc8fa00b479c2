import { Alert, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { CopyButton } from '../../../../shared/web/copy-button.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { FactList } from '../../../../shared/web/fact-list.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { api } from '../../api/api.ts'
import { licenseExpiry } from '../../api/license-expiry.ts'

const kinds = {
  offline: 'Offline: libraries can be imported, and nothing is sent to the hosted service',
  online: 'Online: searches also find libraries of the hosted service',
}

export function LicensePage() {
  const license = useQuery({ queryKey: ['license'], queryFn: () => answerOf(api.license.$get()) })
  return (
    <SettingsSection title="License" about="The license is read from LICENSE_KEY when the server starts.">
      {license.isLoadingError ? (
        <ErrorState error={license.error} what="The license cannot be loaded" retry={() => void license.refetch()} />
      ) : license.data ? (
        <License license={license.data} />
      ) : (
        <Skeleton height={160} />
      )}
    </SettingsSection>
  )
}

type LicenseProps = { license: { id: string; customer: string; kind: keyof typeof kinds; expiresAt: string; valid: boolean } }

function License({ license: { id, customer, kind, expiresAt } }: LicenseProps) {
  const { state, left, day, advice } = licenseExpiry(expiresAt, Date.now())
  return (
    <>
      {state !== 'valid' && (
        <Alert
          color={state === 'expired' ? 'red' : 'yellow'}
          icon={<CircleAlert size={18} aria-hidden />}
          title={`The license ${left}`}
        >
          {advice}
        </Alert>
      )}
      <FactList
        facts={[
          ['Customer', <bdi key="customer">{customer}</bdi>],
          ['Kind', kinds[kind]],
          ['Expires', `${day} (${left})`],
          [
            'License id',
            <span key="id">
              <code>{id}</code> <CopyButton value={id} label="the license id" />
            </span>,
          ],
        ]}
      />
    </>
  )
}
