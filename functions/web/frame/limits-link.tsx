import { TextLink } from '../../../shared/web/link-button.tsx'

/** A link to the limits of the plan and the form that requests another. */
export const LimitsLink = ({ team }: { team: string }) => (
  <TextLink to={limitsOf(team)} size="sm" td="underline">
    Show limits and plan
  </TextLink>
)

const limitsOf = (team: string): string => `/teamspaces/${team}/settings/limits`
