import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CopyButton } from '../../../../shared/web/copy-button.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { FactList } from '../../../../shared/web/fact-list.tsx'
import { formatBytes } from '../../../../shared/web/format.ts'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { type About, aboutQuery, type ShownSettings, settingsQuery } from '../../api/queries.ts'
import { DraftForm, type Field } from './draft-form.tsx'
import { ThirdPartyLicenses } from './third-party-licenses.tsx'

export function AboutPage() {
  const about = useQuery(aboutQuery)
  const settings = useQuery(settingsQuery)
  const facts = about.data ? factsOf(about.data) : []
  return (
    <SettingsSection
      title="About"
      action={
        about.data && (
          <CopyButton value={facts.map(([name, value]) => `${name}: ${value}`).join('\n')} label="these facts">
            Copy for a report
          </CopyButton>
        )
      }
    >
      {about.isLoadingError ? (
        <ErrorState error={about.error} what="The versions cannot be loaded" retry={() => void about.refetch()} />
      ) : about.data ? (
        <FactList facts={facts.map(([name, value]) => [name, exact.has(name) ? <code key={name}>{value}</code> : value])} />
      ) : (
        <Skeleton height={8 * 41} />
      )}
      {settings.isLoadingError ? (
        <ErrorState error={settings.error} what="The settings cannot be loaded" retry={() => void settings.refetch()} />
      ) : settings.data ? (
        <>
          <DiskForm settings={settings.data} />
          <DraftForm title="Setup of AI clients" fields={setupFields} settings={settings.data} />
        </>
      ) : (
        <Skeleton height={160} />
      )}
      <ThirdPartyLicenses />
    </SettingsSection>
  )
}

const setupFields: Field[] = [
  {
    name: 'setup.package',
    label: 'Package',
    description: 'Of your npm registry, if you publish Carrel there. The page Connect then also shows a command with it',
    placeholder: '@example/carrel',
  },
]

/** Their characters matter: the sans font shows “6 x64” with a multiplication sign. */
const exact = new Set(['System', 'Data directory'])

const factsOf = (about: About): [string, string][] => [
  ['Carrel', about.version],
  ['Node', about.node],
  ['LanceDB', about.lancedb],
  ['git', about.git ?? 'not found: repositories cannot be fetched'],
  ['System', about.platform],
  ['Data directory', about.dataDir],
  ['Size of the data', about.dataBytes === null ? 'too many files to count here' : formatBytes(about.dataBytes)],
  ['Reachable from', about.reachable ? 'other machines' : 'this machine only'],
]

const fields: Field[] = [
  {
    name: 'storage.minFreeMb',
    label: 'Space to keep free, in MB',
    description: 'With less on the disk of the data directory, jobs and imports wait; 0 is no limit',
  },
]

/** The form for the disk space that jobs and imports leave free. */
const DiskForm = ({ settings }: { settings: ShownSettings }) => (
  <DraftForm title="Disk space" fields={fields} settings={settings} />
)
