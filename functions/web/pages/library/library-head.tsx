import { Plug } from 'lucide-react'
import { AskLibrary } from '../../../../shared/web/content/ask-library.tsx'
import { VersionSelect } from '../../../../shared/web/content/version-select.tsx'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import type { LibraryDetails } from '../../api/library-queries.ts'
import { useTeam } from '../../api/use-team.ts'
import type { ChangeSearch, LibrarySearch } from './library-search.ts'

type LibraryHeadProps = { library: LibraryDetails; search: LibrarySearch; change: ChangeSearch }

/** Asks the shown version, connects an agent to it, or shows another version: in the head of every tab. */
export function LibraryHead({ library, search: { tab, version }, change }: LibraryHeadProps) {
  const team = useTeam()
  // Usage is that of all versions, unless its own field chooses one.
  const select = tab !== 'usage' && (library.tags.length > 0 || version !== '') && (
    <VersionSelect
      label="Version"
      defaultVersion={library.branch || 'default'}
      versions={library.tags}
      value={version}
      choose={(version) => change({ version })}
    />
  )
  // The tab Ask already has a field for the question.
  if (tab === 'ask') return select
  return (
    <AskLibrary
      title={version === '' ? library.title : `${library.title} ${version}`}
      ask={(question) => change({ tab: 'ask', question })}
    >
      <LinkButton
        variant="default"
        to="/teamspaces/$team/connect"
        params={{ team: team.id }}
        search={{ library: version === '' ? library.id : `${library.id}@${version}` }}
        leftSection={<Plug size={16} aria-hidden />}
      >
        Connect
      </LinkButton>
      {select}
    </AskLibrary>
  )
}
