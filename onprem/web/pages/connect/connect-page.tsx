import { useNavigate, useSearch } from '@tanstack/react-router'
import { OneLibrary } from '../../../../shared/web/connect/one-library.tsx'
import { TextLink } from '../../../../shared/web/link-button.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { ConnectAgent } from './connect-agent.tsx'

/** Steps that connect an editor or agent, with the real address of this deployment. */
export function ConnectPage() {
  const { client, library } = useSearch({ from: '/signed-in/frame/connect' })
  const navigate = useNavigate({ from: '/connect' })
  return (
    <Page title="Connect" facts="Let an editor or agent search the libraries of this install.">
      {library !== '' && (
        <OneLibrary id={library} all="every library of this install">
          <TextLink from="/connect" to="/connect" search={({ client }) => ({ client })} underline="always">
            Connect to all libraries
          </TextLink>
        </OneLibrary>
      )}
      <ConnectAgent
        client={client}
        choose={(client) => void navigate({ search: (before) => ({ ...before, client }), replace: true })}
      />
    </Page>
  )
}
