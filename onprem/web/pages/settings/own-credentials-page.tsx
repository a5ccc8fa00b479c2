import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { CredentialsForm } from '../account/credentials-form.tsx'

export const OwnCredentialsPage = () => (
  <SettingsSection title="Change Credentials" about="Your own user name and password. A change ends your other sessions.">
    <CredentialsForm />
  </SettingsSection>
)
