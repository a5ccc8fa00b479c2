import { ChartColumn, House, Library, ListTodo, MessageSquareText, PlugZap, Settings } from 'lucide-react'

/** The main pages, in the order of the sidebar. */
export const mainPages = [
  { to: '/', label: 'Home', icon: House },
  { to: '/libraries', label: 'Libraries', icon: Library },
  { to: '/queue', label: 'Parse Queue', icon: ListTodo },
  { to: '/playground', label: 'Playground', icon: MessageSquareText },
  { to: '/usage', label: 'Usage', icon: ChartColumn },
  { to: '/connect', label: 'Connect', icon: PlugZap },
  { to: '/settings', label: 'Settings', icon: Settings, role: 'admin' },
] as const
