import { FactList } from '../../../../shared/web/fact-list.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { useSession } from '../../api/use-session.ts'

/** The user's own account. */
export function AccountPage() {
  const { name, email } = useSession().user
  return (
    <Page title="Account" facts="Your name and address come from the service at which you sign in.">
      <FactList
        facts={[
          ['Name', name],
          ['E-mail address', email],
        ]}
      />
    </Page>
  )
}
