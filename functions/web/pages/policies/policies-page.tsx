import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { useTeam } from '../../api/use-team.ts'
import { teamPolicy } from './policy-calls.ts'
import { PolicyEditor } from './policy-editor.tsx'

export function PoliciesPage() {
  const { id } = useTeam()
  return (
    <SettingsSection
      title="Policies"
      about="Which libraries the keys of this teamspace can search and ask. A change applies to the next request, everywhere within five seconds."
    >
      <PolicyEditor policy={teamPolicy(id)} reachWords="can be found with the keys of this teamspace." />
    </SettingsSection>
  )
}
