import { Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { ConnectSteps } from '../../../../shared/web/connect/connect-steps.tsx'
import { OneLibrary } from '../../../../shared/web/connect/one-library.tsx'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { useSession } from '../../api/use-session.ts'
import { useTeam } from '../../api/use-team.ts'
import { NewTeamKeyButton } from '../../keys/new-team-key-button.tsx'
import { KeyRequest } from './key-request.tsx'

const route = getRouteApi('/signed-in/frame/teamspaces/$team/connect')

/** Steps that connect an editor or agent with the service, with or without a key of the teamspace. */
export function ConnectPage() {
  const { client, library } = route.useSearch()
  const navigate = route.useNavigate()
  const { serviceUrl } = useSession()
  const { name } = useTeam()
  const [made, setMade] = useState<{ id: string; key: string }>()
  return (
    <Page title="Connect" facts="Let an editor or agent search the libraries of this service.">
      {library !== '' && (
        <OneLibrary id={library} all="every library of the service">
          <TextLink
            from="/teamspaces/$team/connect"
            to="/teamspaces/$team/connect"
            search={({ client }) => ({ client })}
            underline="always"
          >
            Connect to all libraries
          </TextLink>
        </OneLibrary>
      )}
      <ConnectSteps
        client={client}
        choose={(client) => void navigate({ search: (before) => ({ ...before, client }), replace: true })}
        root={serviceUrl}
        newKey={made?.key}
        isKeyRequired={false}
        programPackage={undefined}
        test={made && <KeyRequest id={made.id} />}
        keyStep={
          <>
            <Text size="sm">
              Public libraries need no key. With a key, an agent finds the private libraries of {name}, follows its policy and
              rules, and has its limits. The configuration below then holds it.
            </Text>
            <div>
              <NewTeamKeyButton onCreated={setMade}>{made ? 'Make another key' : 'Make a key'}</NewTeamKeyButton>
            </div>
          </>
        }
      />
    </Page>
  )
}
