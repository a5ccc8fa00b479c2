import { Anchor, Button, Tabs } from '@mantine/core'
import { createLink } from '@tanstack/react-router'

/** Mantine's components as links of the router. */
export const LinkButton = createLink(Button<'a'>)
export const TextLink = createLink(Anchor<'a'>)
export const LinkTab = createLink(Tabs.Tab)
