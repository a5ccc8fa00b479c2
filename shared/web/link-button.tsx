import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'

type LinkProps<Own> = Own & Omit<ComponentProps<'a'>, keyof Own>

/** Mantine's components as links of the router. */
export const LinkButton = createLink((props: LinkProps<ButtonProps>) => <Button component="a" {...props} />)
export const TextLink = createLink((props: LinkProps<AnchorProps>) => <Anchor component="a" {...props} />)
