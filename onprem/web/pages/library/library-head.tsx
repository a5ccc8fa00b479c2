import { useNavigate } from '@tanstack/react-router'
import { Plug } from 'lucide-react'
import { AskLibrary } from '../../../../shared/web/content/ask-library.tsx'
import { VersionSelect } from '../../../../shared/web/content/version-select.tsx'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import type { LibraryDetails } from '../../api/library-query.ts'

type LibraryHeadProps = { library: LibraryDetails; version: string; chooseVersion: (version: string) => void }

/** Asks the shown version, connects an agent to it, or shows another version: in the head of every tab. */
export function LibraryHead({ library, version, chooseVersion }: LibraryHeadProps) {
  const navigate = useNavigate()
  const id = version === '' ? library.id : `${library.id}@${version}`
  return (
    <AskLibrary
      title={version === '' ? library.title : `${library.title} ${version}`}
      ask={(question) => void navigate({ to: '/playground', search: { libraries: [id], question } })}
    >
      <LinkButton variant="default" to="/connect" search={{ library: id }} leftSection={<Plug size={16} aria-hidden />}>
        Connect
      </LinkButton>
      {(library.versions.length > 0 || version !== '') && (
        <VersionSelect
          label="Version"
          defaultVersion={library.branch || 'Default'}
          versions={library.versions}
          value={version}
          choose={chooseVersion}
        />
      )}
    </AskLibrary>
  )
}
