import { Button, Group, List, Stack, Text, Title } from '@mantine/core'
import { shownLanguage } from '../../../../shared/text/language-codes.ts'
import styles from '../../../../shared/web/add/add-forms.module.css'
import { FactList } from '../../../../shared/web/fact-list.tsx'
import { countOf, formatBytes } from '../../../../shared/web/format.ts'
import type { ParsePreview } from './use-preview.ts'

const shownFolders = 8
const shownSkipped = 100

type RepositoryPreviewProps = {
  preview: ParsePreview
  isOld: boolean
  /** Adds a tag to the versions of the form. */
  onVersion: (tag: string) => void
}

/** The documents that would be read, before the repository is added. */
export const RepositoryPreview = ({ preview, isOld, onVersion }: RepositoryPreviewProps) => (
  <Stack component="section" gap="sm" className={styles.preview} aria-label="Preview" role="status">
    <div>
      <Title order={2} dir="auto">
        {preview.title}
      </Title>
      <Text size="sm" c="dimmed" dir="auto">
        {preview.description}
      </Text>
    </div>
    {isOld && (
      <Text size="sm" c="var(--warn)">
        The form has changed since. Preview again to see its effect.
      </Text>
    )}
    <FactList facts={factsOf(preview, onVersion)} />
    {preview.files === 0 && (
      <Text size="sm" c="var(--bad)">
        There is no document to read. Check the folders and exclusions.
      </Text>
    )}
    <Skipped skipped={preview.skipped} />
  </Stack>
)

const factsOf = (
  { private: isPrivate, branch, commit, files, bytes, folders, languages, versions, tags, indexed }: ParsePreview,
  onVersion: RepositoryPreviewProps['onVersion'],
) =>
  [
    ['Here already', indexed.length === 0 ? 'No' : <bdi key="indexed">{indexed.join(', ')}</bdi>],
    ['Access', isPrivate ? 'Private: read with the stored token' : 'Public'],
    ['Documents', `${countOf(files, 'file')}, ${formatBytes(bytes)}`],
    ['Folders', <FolderNames key="folders" folders={folders} />],
    [
      'Branch',
      <span key="branch">
        <bdi>{branch}</bdi> at <code>{commit.slice(0, 12)}</code>
      </span>,
    ],
    ['Languages', <LanguageNames key="languages" languages={languages} />],
    ['Versions', versions.length === 0 ? 'Only the branch' : <bdi key="versions">{versions.join(', ')}</bdi>],
    ['Tags to add', <OtherTags key="tags" tags={tags} versions={versions} onVersion={onVersion} />],
  ] as const

/** The tags that can be added as versions, too. */
function OtherTags({
  tags,
  versions,
  onVersion,
}: Pick<ParsePreview, 'tags' | 'versions'> & Pick<RepositoryPreviewProps, 'onVersion'>) {
  const others = tags.filter((tag) => !versions.includes(tag))
  if (others.length === 0) return 'None that name a version'
  return (
    <Group gap={6}>
      {others.map((tag) => (
        <Button
          key={tag}
          size="compact-xs"
          variant="default"
          aria-label={`Add ${tag} as a version`}
          onClick={() => onVersion(tag)}
        >
          <bdi>{tag}</bdi>
        </Button>
      ))}
    </Group>
  )
}

function FolderNames({ folders }: Pick<ParsePreview, 'folders'>) {
  const more = folders.length - shownFolders
  const names = folders.slice(0, shownFolders).map(({ path, files }) => `${path === '' ? 'root' : `${path}/`} (${files})`)
  return (
    <bdi>
      {names.join(', ')}
      {more > 0 && ` and ${more} more`}
    </bdi>
  )
}

function LanguageNames({ languages }: Pick<ParsePreview, 'languages'>) {
  const names = (isRead: boolean) =>
    languages.filter((each) => each.isRead === isRead).map(({ code, files }) => `${shownLanguage(code)} (${files})`)
  if (languages.length === 0) return 'Unknown'
  const unread = names(false)
  return (
    <>
      {names(true).join(', ')}
      {unread.length > 0 && `; not read: ${unread.join(', ')}. Add their codes under Languages to read them.`}
    </>
  )
}

function Skipped({ skipped }: Pick<ParsePreview, 'skipped'>) {
  if (skipped.length === 0) return null
  return (
    <details>
      <summary>
        <Text span size="sm">
          {countOf(skipped.length, 'file or folder is skipped', 'files or folders are skipped')}
        </Text>
      </summary>
      <List size="sm" mt="xs">
        {skipped.slice(0, shownSkipped).map(({ path, reason }) => (
          <List.Item key={`${path} ${reason}`}>
            <bdi>{path}</bdi>: <span dir="auto">{reason}</span>
          </List.Item>
        ))}
        {skipped.length > shownSkipped && <List.Item>and {skipped.length - shownSkipped} more</List.Item>}
      </List>
    </details>
  )
}
