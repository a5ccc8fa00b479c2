import { ChartColumn, House, Library, ListTodo, MessageSquareText, PlugZap, Settings } from 'lucide-react'

/** The main pages, in the order of the sidebar. Phones have a bar for three of them. */
export const mainPages = [
  { to: '/', label: 'Home', icon: House, isInBar: true },
  { to: '/libraries', label: 'Libraries', icon: Library, isInBar: true },
  { to: '/queue', label: 'Parse Queue', icon: ListTodo },
  { to: '/playground', label: 'Playground', icon: MessageSquareText, isInBar: true },
  { to: '/usage', label: 'Usage', icon: ChartColumn },
  { to: '/connect', label: 'Connect', icon: PlugZap },
  { to: '/settings', label: 'Settings', icon: Settings, role: 'admin' },
] as const
