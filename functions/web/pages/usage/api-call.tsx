import { Text, Title } from '@mantine/core'
import { CodeBlock } from '../../../../shared/web/snippet/code-block.tsx'

/** The call of the public API that returns the same usage. */
export const ApiCall = ({ url }: { url: string }) => (
  <section aria-labelledby="usage-api">
    <Title order={2} id="usage-api" mb={4}>
      From the API
    </Title>
    <Text size="sm" c="dimmed" mb="xs">
      The same figures for your own reports, with a key of this teamspace.
    </Text>
    <CodeBlock code={`curl -H "Authorization: Bearer $CARREL_KEY" "${url}"`} language="sh" />
  </section>
)
