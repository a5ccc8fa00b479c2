import { Anchor, Checkbox, Text } from '@mantine/core'
import { countOf } from '../format.ts'
import type { RecognizedRepository, RecognizedSources } from './pasted.ts'
import type { LibraryLink } from './recognized-table.tsx'

type RecognizedHintProps = {
  /** The text that was recognised. */
  text: string
  recognized: RecognizedSources
  /** Replaces the text of the field. */
  onUse: (text: string) => void
  /** Shows all repositories of the text. */
  onSeveral: () => void
  libraryLink: LibraryLink
  /** Says what happens to a library that is added again. */
  again?: string
  /** The choice to add the version that the text gives. */
  version?: { isChosen: boolean; onChoose: (isChosen: boolean) => void }
}

/** Says which repository the field means, if the text itself does not. */
export function RecognizedHint({ text, recognized, onUse, onSeveral, ...props }: RecognizedHintProps) {
  const { repositories, unknown } = recognized
  const [repository, second] = repositories
  const [word] = unknown
  const count = repositories.length + unknown.length
  if (repository && (second || word))
    return (
      <Hint>
        The text has {countOf(count, 'name')}.{' '}
        <Action onClick={onSeveral}>Choose from {countOf(repositories.length, 'repository', 'repositories')}</Action>
      </Hint>
    )
  if (repository) return <RepositoryHint text={text} repository={repository} {...props} />
  if (!word || unknown.length > 1) return null
  if (word.suggestion !== null)
    return (
      <Hint>
        Did you mean <Action onClick={() => onUse(word.suggestion ?? '')}>{word.suggestion}</Action>?
      </Hint>
    )
  // A word without these signs may be the start of a name.
  return /[/.]/.test(text) ? <Hint>{word.problem}</Hint> : null
}

type RepositoryHintProps = { text: string; repository: RecognizedRepository } & Pick<
  RecognizedHintProps,
  'libraryLink' | 'again' | 'version'
>

function RepositoryHint({ text, repository, libraryLink, again, version }: RepositoryHintProps) {
  const { title, repoUrl, folders, state, libraryId } = repository
  const isPlain = title === null && (repoUrl === text || repoUrl.endsWith(`/${text}`))
  if (isPlain && state === 'absent') return null
  return (
    <>
      <Hint>
        {!isPlain && (
          <>
            {title !== null && <b>{title}: </b>}
            <bdi>{repoUrl}</bdi>
            {folders.length > 0 && state === 'absent' && `, from the folder ${folders.join(' and ')}`}.{' '}
          </>
        )}
        {state === 'present' && (
          <>
            {libraryLink(libraryId, 'It is here already')}. {again}
          </>
        )}
        {state === 'queued' && 'It is in the queue already.'}
      </Hint>
      {version && repository.version !== null && (
        <Checkbox
          size="xs"
          label={<bdi>Also add version {repository.version}, if the repository has its tag</bdi>}
          checked={version.isChosen}
          onChange={(event) => version.onChoose(event.currentTarget.checked)}
        />
      )}
    </>
  )
}

const Hint = ({ children }: { children: React.ReactNode }) => (
  <Text size="sm" c="dimmed" role="status" style={{ overflowWrap: 'anywhere' }}>
    {children}
  </Text>
)

const Action = ({ children, onClick }: { children: React.ReactNode; onClick: () => void }) => (
  <Anchor component="button" type="button" size="sm" td="underline" onClick={onClick}>
    {children}
  </Anchor>
)
