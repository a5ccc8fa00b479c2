import { Button, Group } from '@mantine/core'
import { ExternalLink } from 'lucide-react'

/** Opens the client, which asks whether to add the server. */
export const OneClickLink = ({ href, label }: { href: string; label: string }) => (
  <Group>
    <Button component="a" href={href} leftSection={<ExternalLink size={16} aria-hidden />}>
      Add to {label}
    </Button>
  </Group>
)
