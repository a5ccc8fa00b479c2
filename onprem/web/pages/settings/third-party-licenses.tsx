import { Button, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import { api } from '../../api/api.ts'
import styles from './third-party-licenses.module.css'

/** The third-party packages in this program. Their texts are large, so they are loaded when they are asked for. */
export function ThirdPartyLicenses() {
  const [isShown, setIsShown] = useState(false)
  const licenses = useQuery({
    queryKey: ['about', 'licenses'],
    queryFn: () => answerOf(api.about.licenses.$get()),
    enabled: isShown,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Stack gap="sm">
      <div>
        <Title order={2}>Third-party licenses</Title>
        <Text size="sm" c="dimmed">
          {licenses.data
            ? `${countOf(licenses.data.packages.length, 'package')} of others are part of this program.`
            : 'Packages of others are part of this program.'}
        </Text>
      </div>
      {!isShown && (
        <Button variant="default" size="xs" className={styles.show} onClick={() => setIsShown(true)}>
          Show the packages
        </Button>
      )}
      {licenses.error && (
        <ErrorState error={licenses.error} what="The licenses cannot be loaded" retry={() => void licenses.refetch()} />
      )}
      {licenses.isLoading && <Skeleton height={400} />}
      {licenses.data && (
        <Table layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Package</Table.Th>
              <Table.Th>License</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {licenses.data.packages.map((each) => (
              <PackageRow key={`${each.name}@${each.version}`} {...each} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  )
}

type PackageRowProps = { name: string; version: string; license: string; text: string }

function PackageRow({ name, version, license, text }: PackageRowProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Table.Tr>
      <Table.Td className={styles.package}>
        {name} <span className={styles.version}>{version}</span>
        {isOpen && (
          <section className={styles.text} aria-label={`License of ${name}`}>
            {text}
          </section>
        )}
      </Table.Td>
      <Table.Td className={styles.license}>
        {text === '' ? (
          license
        ) : (
          <Button
            variant="transparent"
            size="compact-sm"
            className={styles.name}
            aria-expanded={isOpen}
            aria-label={`${license}, license of ${name}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            {license}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
